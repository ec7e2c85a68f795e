import { spawn } from 'node:child_process';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { KubeConfig } from '@kubernetes/client-node';
import { instanceName, SECRET_SUFFIX, WORKLOAD_SUFFIX } from '../../../src/api/naming.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import { inNode } from '../../../tools/embedded-cluster/node.ts';
import { apiServicesOf, type Instance } from './instance.ts';
import type { Round, Target } from './probe.ts';
import type { Session } from './session.ts';

/** A process in the network of the node that probes Karmada APIs. It starts before the measurement. */
export interface Prober {
  /**
   * Resolves when the control plane passes every check in one round. Calls `see` for each change and for that round.
   * @throws Error with the last failed check, after the deadline
   */
  ready(target: Target, deadlineMs: number, see: (round: Round) => void): Promise<void>;
  close(): void;
}

/** Starts a prober. */
export function startProber({ cluster }: Session): Prober {
  const script = join(checkout, 'test/bench/install/probe.ts');
  const program = [process.execPath, '--disable-warning=ExperimentalWarning', script];
  const [file = '', ...args] = inNode(cluster.node, program);
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  let hear: (line: string) => void = () => undefined;
  lines.on('line', (line) => hear(line));
  return {
    ready: (target, deadlineMs, see) =>
      new Promise((resolve, reject) => {
        let last = 'no answer';
        const fail = (): void =>
          reject(new Error(`the control plane is not ready; last result: ${last}`));
        const timer = setTimeout(fail, deadlineMs).unref();
        child.once('exit', fail);
        hear = (line) => {
          last = line;
          const round = JSON.parse(line) as Round;
          see(round);
          if (round.lacks !== undefined) return;
          clearTimeout(timer);
          child.off('exit', fail);
          resolve();
        };
        child.stdin.write(`${JSON.stringify(target)}\n`);
      }),
    close: () => void child.stdin.end(),
  };
}

const text = (base64: string | undefined): string => Buffer.from(base64 ?? '', 'base64').toString();

/** Returns the address of a control plane's API server and the administrator credentials from its Secret. */
export async function controlPlaneOf(
  { client }: Session,
  instance: Instance,
  crds: readonly string[],
): Promise<Target> {
  const { namespace, name } = instance;
  const secret = { namespace, name: instanceName(name, SECRET_SUFFIX.adminConfig) };
  const service = { namespace, name: instanceName(name, WORKLOAD_SUFFIX.karmadaAPIServer) };
  const [{ data }, { spec }] = await Promise.all([
    client.get(resources.Secret, secret),
    client.get(resources.Service, service),
  ]);
  const config = new KubeConfig();
  config.loadFromString(text((data as Record<string, string>)['karmada.config']));
  const { hostname } = new URL(config.getCurrentCluster()?.server ?? '');
  const user = config.getCurrentUser();
  const { clusterIP, ports } = spec as { clusterIP: string; ports: readonly { port: number }[] };
  return {
    // Always probe the Service, even if the kubeconfig contains another address.
    host: clusterIP,
    port: ports[0]?.port ?? NaN,
    serverName: isIP(hostname) === 0 ? hostname : `${service.name}.${namespace}.svc`,
    ca: text(config.getCurrentCluster()?.caData),
    cert: text(user?.certData),
    key: text(user?.keyData),
    crds,
    apiServices: apiServicesOf(instance),
  };
}
