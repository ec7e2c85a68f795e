/**
 * The proxy's way into control planes. The operator shows a client certificate, which no proxy can pass on; this one
 * has what both sides need from the Secret of the instance: the pair that its API server serves with, and the one of
 * its administrator. Who does not show a certificate of the instance's authority is not let in.
 */
import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { SecureServerOptions } from 'node:http2';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import { createSecureContext, type TLSSocket } from 'node:tls';
import { keptConnections, type Upstream } from './proxy.ts';

/** Where the operator dials a control plane, as it was told through the tunnel. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/** How the proxy reads Secrets of the host. */
export type HostAccess = Required<Pick<RequestOptions, 'host' | 'port' | 'ca'>> & {
  readonly token: () => Promise<string>;
};

/** Ways into control planes that were asked for by name. */
export class ControlPlanes {
  readonly #host: HostAccess;
  readonly #targets = new Map<number | undefined, Target>();
  readonly #access = new Map<string, Omit<Upstream, 'host' | 'port'>>();

  constructor(host: HostAccess) {
    this.#host = host;
  }

  /** Serves each of them with its own certificate, which is read for each connection: it may have been renewed. */
  get tls(): SecureServerOptions {
    return {
      requestCert: true,
      rejectUnauthorized: true,
      SNICallback: (name, callback) => {
        this.#contextOf(name).then(
          (context) => callback(null, context),
          (error: unknown) => callback(error instanceof Error ? error : new Error(String(error))),
        );
      },
    };
  }

  /** @throws Error when the connection did not come through the tunnel */
  upstreamOf(socket: TLSSocket): Upstream {
    const target = this.#targets.get(socket.remotePort);
    const access = this.#access.get(String(socket.servername));
    if (target === undefined || access === undefined) throw new Error('no such control plane');
    return { ...target, ...access };
  }

  /**
   * The tunnel's end. A connection begins with a line `host port`; the answer is `yes`, and all that follows is TLS, or
   * `no` when nobody listens there.
   */
  createTunnel(accept: (socket: Socket) => void): Server {
    return createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (line) => {
        socket.pause();
        const [host = '', port] = String(line).trim().split(' ');
        const target = { host, port: Number(port) };
        reach(target, socket, (there) => {
          if (!there) return void socket.end('no\n');
          const { remotePort } = socket;
          this.#targets.set(remotePort, target);
          socket.on('close', () => this.#targets.delete(remotePort));
          socket.write('yes\n');
          accept(socket);
        });
      });
    });
  }

  async #contextOf(servername: string): Promise<ReturnType<typeof createSecureContext>> {
    const [service = '', namespace = ''] = servername.split('.');
    const secret = await this.#secret(namespace, service.replace(/apiserver$/, 'cert'));
    const pem = (key: string): string => Buffer.from(secret[key] ?? '', 'base64').toString('utf8');
    const ca = pem('ca.crt');
    const [cert, key] = [pem('karmada.crt'), pem('karmada.key')];
    const agent = this.#access.get(servername)?.agent ?? keptConnections();
    this.#access.set(servername, { ca, cert, key, servername, agent });
    return createSecureContext({ ca, cert: pem('apiserver.crt'), key: pem('apiserver.key') });
  }

  async #secret(namespace: string, name: string): Promise<Readonly<Record<string, string>>> {
    const { token, ...server } = this.#host;
    const headers = { authorization: `Bearer ${await token()}` };
    const path = `/api/v1/namespaces/${namespace}/secrets/${name}`;
    const body = await new Promise<unknown>((resolve, reject) => {
      httpsRequest({ ...server, path, headers }, (answer) => resolve(json(answer)))
        .on('error', reject)
        .end();
    });
    const { data } = body as { data?: Record<string, string> };
    if (data === undefined) throw new Error(`no Secret ${namespace}/${name}`);
    return data;
  }
}

/** Looks whether somebody listens, for as long as the one who asks waits. */
function reach({ host, port }: Target, asker: Socket, tell: (there: boolean) => void): void {
  const probe = connect({ host, port });
  const leave = (): void => void probe.destroy();
  asker.once('close', leave);
  const end = (there: boolean): void => {
    asker.off('close', leave);
    probe.destroy();
    tell(there);
  };
  probe.once('connect', () => end(true)).once('error', () => end(false));
}
