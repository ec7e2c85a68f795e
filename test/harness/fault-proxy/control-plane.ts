/**
 * Fault proxy for control planes. The operator authenticates with a client certificate, which a proxy cannot forward.
 * This proxy therefore reads both key pairs from the Secret of the control plane: the serving pair of its API server
 * and the client pair of its administrator. It rejects clients without a certificate of the control plane's CA.
 */
import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { SecureServerOptions } from 'node:http2';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import { createSecureContext, type TLSSocket } from 'node:tls';
import { keptConnections, type Upstream } from './proxy.ts';

/** Control plane address that the operator dials, as received through the tunnel. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/** Access to the Secrets of the host cluster. */
export type HostAccess = Required<Pick<RequestOptions, 'host' | 'port' | 'ca'>> & {
  readonly token: () => Promise<string>;
};

/** Connections to control planes, by TLS server name. */
export class ControlPlanes {
  readonly #host: HostAccess;
  readonly #targets = new Map<number | undefined, Target>();
  readonly #access = new Map<string, Omit<Upstream, 'host' | 'port'>>();

  constructor(host: HostAccess) {
    this.#host = host;
  }

  /**
   * Serves the certificate of the requested control plane. It is read per connection, because it may have been
   * renewed.
   */
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

  /** @throws Error if the connection did not come through the tunnel */
  upstreamOf(socket: TLSSocket): Upstream {
    const target = this.#targets.get(socket.remotePort);
    const access = this.#access.get(String(socket.servername));
    if (target === undefined || access === undefined) throw new Error('no such control plane');
    return { ...target, ...access };
  }

  /**
   * Server side of the tunnel. A connection begins with a line `host port`. The response `yes` is followed by TLS;
   * the response `no` means that no process listens at that address.
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

/** Probes whether a process listens at the target; stops when the requesting socket closes. */
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
