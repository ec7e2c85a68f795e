/**
 * Aggregated API servers of control planes as stubs, which accept the clients of an API server by the CAs that it publishes, and
 * permit nothing.
 */
import { INSTANCE } from '../../../src/api/labels.ts';
import { StatusError } from '../api/errors.ts';
import type { Serving } from '../api/serve.ts';
import type { ClusterView } from '../kubelet/cluster-view.ts';
import { after, mountedPair, type StubProgram } from '../kubelet/stub-program.ts';
import { listenTls } from '../network/tls-server.ts';
import { publishedTrust, userOf } from './client-trust.ts';
import type { KarmadaApi } from './karmada-api.ts';

interface AggregatedOptions {
  readonly view: ClusterView;
  readonly readyMs: number;
  readonly serving: Serving;
  /** @returns undefined before it was served */
  readonly apiOf: (namespace: string, instance: string) => KarmadaApi | undefined;
}

const PORT = 8443;
const UNAUTHORIZED = new StatusError(401, 'Unauthorized', 'Unauthorized');

const forbidden = (user: string, path: string): StatusError =>
  new StatusError(403, 'Forbidden', `forbidden: User "${user}" cannot get path "${path}"`);

/** @param volume with the serving certificate */
export const aggregatedProgram =
  (volume: string, { view, readyMs, serving, apiOf }: AggregatedOptions): StubProgram =>
  async ({ pod, address, run }) => {
    const { namespace = '', labels = {} } = pod.metadata;
    const place = { volume, cert: 'tls.crt', key: 'tls.key', ca: '' };
    const pair = (): ReturnType<typeof mountedPair> => {
      const { cert, key } = mountedPair(view, pod, place);
      return { cert, key };
    };
    const listener = await listenTls({ host: address, port: PORT }, pair, (server) => {
      serving(server, (request) => {
        const api = apiOf(namespace, labels[INSTANCE] ?? '')?.api;
        const user = api && userOf(request, publishedTrust(api));
        return user === undefined ? UNAUTHORIZED : forbidden(user, request.url);
      });
    });
    run.onEnd(() => listener.close());
    after(run, readyMs, () => run.setReady(true));
  };
