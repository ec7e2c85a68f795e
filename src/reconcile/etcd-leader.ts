/** Asks members of an etcd which of them leads. */
import { get } from 'node:http';
import { isIPv6 } from 'node:net';
import type { KubernetesObject } from '../kubernetes/object.ts';

/** Port of `--listen-metrics-urls`, in plain HTTP. */
const METRICS_PORT = 2381;
const TIMEOUT_MS = 1_000;
/** All metrics of a member are a tenth of that. */
const LONGEST_BODY = 4_194_304;

/** https://etcd.io/docs/v3.6/metrics/ */
const LEADS = /^etcd_server_is_leader 1$/m;

/** @returns name of the pod that says so; undefined when nobody does, which is no reason to stop */
export async function leaderAmong(pods: readonly KubernetesObject[]): Promise<string | undefined> {
  const answers = await Promise.all(
    pods.map(async (pod) => {
      const { podIP } = (pod['status'] ?? {}) as { podIP?: string };
      const text = podIP === undefined ? '' : await metricsOf(podIP).catch(() => '');
      return LEADS.test(text) ? [pod.metadata.name] : [];
    }),
  );
  return answers.flat()[0];
}

function metricsOf(host: string): Promise<string> {
  const address = isIPv6(host) ? `[${host}]` : host;
  const url = `http://${address}:${METRICS_PORT}/metrics`;
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) });
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
