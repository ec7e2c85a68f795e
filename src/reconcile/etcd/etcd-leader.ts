/** Asks members of an etcd which of them leads. */
import { get, type RequestOptions } from 'node:http';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import type { Remote } from '../host.ts';

/** Port of `--listen-metrics-urls`, in plain HTTP. */
const METRICS_PORT = 2381;
const TIMEOUT_MS = 1_000;
/** The way through another API server is opened first. */
const FORWARDED_TIMEOUT_MS = 4_000;
/** All metrics of a member are a tenth of that. */
const LONGEST_BODY = 4_194_304;

/** https://etcd.io/docs/v3.6/metrics/ */
const LEADS = /^etcd_server_is_leader 1$/m;

/**
 * @param remote the host of the pods, when it is another cluster
 * @returns name of the pod that says so; undefined when nobody does, which is no reason to stop
 */
export async function leaderAmong(
  pods: readonly KubernetesObject[],
  remote?: Pick<Remote, 'forward'>,
): Promise<string | undefined> {
  const answers = await Promise.all(
    pods.map(async (pod) => {
      const way = remote === undefined ? wayTo(pod) : forwardedWayTo(pod, remote);
      const text = way === undefined ? '' : await metricsBy(way).catch(() => '');
      return LEADS.test(text) ? [pod.metadata.name] : [];
    }),
  );
  return answers.flat()[0];
}

function wayTo(pod: KubernetesObject): RequestOptions | undefined {
  const { podIP } = (pod['status'] ?? {}) as { podIP?: string };
  if (podIP === undefined) return undefined;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  return { host: podIP, port: METRICS_PORT, agent: false, signal };
}

function forwardedWayTo(
  { metadata }: KubernetesObject,
  remote: Pick<Remote, 'forward'>,
): RequestOptions {
  const { name, namespace = '' } = metadata;
  const createConnection: RequestOptions['createConnection'] = (_, done) => {
    remote.forward({ namespace, pod: name, port: METRICS_PORT }).then(
      (stream) => done(null, stream),
      // With an error there is no stream, which the type does not know.
      (error: Error) => (done as (error: Error) => void)(error),
    );
    return undefined;
  };
  return { createConnection, signal: AbortSignal.timeout(FORWARDED_TIMEOUT_MS) };
}

function metricsBy(way: RequestOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get({ ...way, path: '/metrics', headers: { connection: 'close' } });
    request.on('error', reject);
    request.once('response', (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('error', reject);
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > LONGEST_BODY) response.destroy(new Error('too many metrics'));
      });
      response.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    });
  });
}
