/** Servers of control planes as stubs that only present their certificate, such as karmada-webhook. */
import type { ClusterView } from '../kubelet/cluster-view.ts';
import { after, mountedPair, type StubProgram } from '../kubelet/stub-program.ts';
import { listenTls } from '../network/tls-server.ts';

interface ServingOptions {
  readonly view: ClusterView;
  readonly readyMs: number;
}

const PORT = 8443;

/** @param volume with the serving certificate */
export const servingProgram =
  (volume: string, { view, readyMs }: ServingOptions): StubProgram =>
  async ({ pod, address, run }) => {
    const pair = (): ReturnType<typeof mountedPair> => {
      const place = { volume, cert: 'tls.crt', key: 'tls.key', ca: '' };
      const { cert, key } = mountedPair(view, pod, place);
      return { cert, key };
    };
    const listener = await listenTls({ host: address, port: PORT }, pair, (server) => {
      server.on('request', (_, response) => response.writeHead(404).end());
    });
    run.onEnd(() => listener.close());
    after(run, readyMs, () => run.setReady(true));
  };
