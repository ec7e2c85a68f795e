/** A container as a process, with a root directory and mounts of its own. */
import { readFile } from 'node:fs/promises';
import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startServer, type Server } from '../../harness/servers/process.ts';
import type { ContainerRun, Exit, Probe } from '../kubelet/pod-runtime.ts';
import type { Bind } from './container-root.ts';

/** Mounts, then runs the program of the container. Arguments: root, pairs of source and target, `--`, command. */
const SCRIPT = `set -e
root=$1; shift
mount --make-rprivate /
while [ "$1" != -- ]; do mount --bind "$1" "$2"; shift 2; done
shift
for device in null zero random urandom; do touch "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"; done
mount --bind /proc "$root/proc"
exec chroot "$root" "$@"`;

const PROBE_MS = 200;
/** Length of the end of the log that is the termination message. */
const TAIL = 2_000;

export interface ContainerOptions {
  readonly root: string;
  readonly binds: readonly Bind[];
  /** Command that enters the network of the Pod. */
  readonly enter: readonly string[];
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly address: string;
  readonly logFile: string;
  /** Decides about the readiness; without one the container is ready at once. */
  readonly probe?: Probe;
}

export class ContainerProcess implements ContainerRun {
  readonly exit: Promise<Exit>;
  readonly #options: ContainerOptions;
  readonly #server: Server;
  readonly #listeners: ((ready: boolean) => void)[] = [];
  #isReady = false;

  constructor(options: ContainerOptions) {
    const { root, binds, enter, command, environment, logFile } = options;
    this.#options = options;
    const mounts = binds.flatMap(({ source, target }) => [source, target]);
    const [program = '', ...args] = [
      ...enter,
      'unshare',
      '--mount',
      'sh',
      '-c',
      SCRIPT,
      'container',
      root,
      ...mounts,
      '--',
      ...command,
    ];
    const env = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', ...environment };
    this.#server = startServer(program, args, logFile, env);
    this.exit = this.#server.exited.then((code) => this.#exit(code));
    void this.#watch();
  }

  onReadiness(listener: (ready: boolean) => void): void {
    this.#listeners.push(listener);
    if (this.#isReady) listener(true);
  }

  async stop(graceMs: number): Promise<void> {
    if (graceMs > 0) {
      const ended = this.#server.end('SIGTERM').then(() => true);
      if (await Promise.race([ended, pause(graceMs, false)])) return;
    }
    await this.#server.end('SIGKILL');
  }

  async #exit(code: number): Promise<Exit> {
    const { root, logFile } = this.#options;
    const own = await readFile(join(root, 'dev/termination-log'), 'utf8').catch(() => '');
    if (own !== '' || code === 0) return { exitCode: code, message: own };
    const log = await readFile(logFile, 'utf8').catch(() => '');
    return { exitCode: code, message: log.slice(-TAIL) };
  }

  /** Probes the container until it ends. */
  async #watch(): Promise<void> {
    const { probe, address } = this.#options;
    while (!this.#server.ended()) {
      this.#set(probe === undefined || (await isReady(probe, address)));
      await pause(PROBE_MS);
    }
  }

  #set(ready: boolean): void {
    if (ready === this.#isReady || this.#server.ended()) return;
    this.#isReady = ready;
    for (const listener of this.#listeners) listener(ready);
  }
}

/** Sends a probe over HTTP or HTTPS, without verification of the certificate. */
function isReady({ httpGet }: Probe, host: string): Promise<boolean> {
  if (httpGet === undefined) return Promise.resolve(true);
  const { path = '/', port, scheme = 'HTTP' } = httpGet;
  const options = { host, port, path, agent: false, timeout: 1_000, rejectUnauthorized: false };
  return new Promise((resolve) => {
    (scheme === 'HTTPS' ? getHttps : getHttp)(options, (response) => {
      response.resume();
      resolve((response.statusCode ?? 500) < 400);
    })
      .on('timeout', function (this: { destroy(): void }) {
        this.destroy();
      })
      .once('error', () => resolve(false));
  });
}
