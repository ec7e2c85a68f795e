import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { dump, load } from 'js-yaml';
import type { Karmada } from '../../src/api/karmada.ts';
import { instanceName } from '../../src/api/naming.ts';
import { createClient } from '../../src/kubernetes/client/client.ts';
import type { KubernetesClient } from '../../src/kubernetes/client/client-interface.ts';
import { kubeConfigEndpoint } from '../../src/kubernetes/connection/connection.ts';
import type { Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { attempt, run, type CommandResult } from '../../tools/embedded-cluster/command.ts';
import { inNode } from '../../tools/embedded-cluster/node.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { clusterDirectory } from '../../tools/embedded-cluster/slot.ts';
import { getObject } from './cluster.ts';

/** API of a control plane, accessed from the node of its host cluster with administrator credentials. */
export interface ControlPlane {
  /** Path of a kubeconfig with the Service IP instead of its DNS name, which only Pods can resolve. */
  kubeconfig: string;
  tryKubectl(args: readonly string[], input?: string): Promise<CommandResult>;
  /** Returns the output of kubectl; throws if the exit code is not 0. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  karmadactl(args: readonly string[]): Promise<string>;
}

interface Kubeconfig {
  clusters: { cluster: { server: string; 'tls-server-name'?: string } }[];
}

interface Service {
  spec: { clusterIP: string; ports: readonly { nodePort?: number }[] };
}

/** Where a control plane has its administrator kubeconfig, and the Service of its API server. */
interface AccessNames {
  readonly namespace: string;
  readonly secret: string;
  /** Key of the Secret. */
  readonly key: string;
  readonly service: string;
}

const namesOf = (name: string, namespace: string): AccessNames => ({
  namespace,
  secret: instanceName(name, 'admin-config'),
  // Of the two keys, the Go operator stores only this one.
  key: 'karmada.config',
  service: instanceName(name, 'apiserver'),
});

/**
 * Returns the administrator kubeconfig of a control plane with another address, because only Pods resolve the DNS name in it.
 * @param serverOf URL of the API server, by its Service
 */
async function reachableKubeconfig(
  cluster: Cluster,
  names: AccessNames,
  serverOf: (service: Service) => string,
): Promise<string> {
  const { namespace } = names;
  const [secret, service] = await Promise.all([
    getObject<{ data: Record<string, string> }>(cluster, 'secret', names.secret, namespace),
    getObject<Service>(cluster, 'service', names.service, namespace),
  ]);
  const encoded = secret.data[names.key] ?? '';
  const config = load(Buffer.from(encoded, 'base64').toString('utf8')) as Kubeconfig;
  for (const { cluster: entry } of config.clusters) {
    entry['tls-server-name'] = new URL(entry.server).hostname;
    entry.server = serverOf(service);
  }
  return dump(config);
}

/** Creates a kubeconfig for a control plane of an operator that serves requests. */
export const openControlPlane = (
  cluster: Cluster,
  name: string,
  namespace: string,
): Promise<ControlPlane> => openAccess(cluster, namesOf(name, namespace));

/** Creates a kubeconfig for a control plane, however it was installed. */
export async function openAccess(cluster: Cluster, names: AccessNames): Promise<ControlPlane> {
  const text = await reachableKubeconfig(
    cluster,
    names,
    ({ spec }) => `https://${spec.clusterIP}:5443`,
  );
  const kubeconfig = join(
    await mkdtemp(join(clusterDirectory(cluster.name), 'control-plane-')),
    'kubeconfig',
  );
  await writeFile(kubeconfig, text, { mode: 0o600 });
  const command = (program: string, args: readonly string[]): string[] =>
    inNode(cluster.node, [join(cluster.bin, program), '--kubeconfig', kubeconfig, ...args]);
  return {
    kubeconfig,
    tryKubectl: (args, input) => attempt(command('kubectl', args), { input }),
    kubectl: (args, input) => run(command('kubectl', args), { input }),
    karmadactl: (args) => run(command('karmadactl', args)),
  };
}

/**
 * Client for a control plane of the Go operator with a NodePort, whose administrator kubeconfig has a name that only Pods resolve; the
 * caller closes it.
 */
export async function nodePortClientOf(
  cluster: Cluster,
  name: string,
  namespace: string,
): Promise<KubernetesClient> {
  const host = new KubeConfig();
  host.loadFromFile(cluster.kubeconfig);
  const node = new URL(host.getCurrentCluster()?.server ?? '').hostname;
  const config = new KubeConfig();
  config.loadFromString(
    await reachableKubeconfig(
      cluster,
      namesOf(name, namespace),
      ({ spec }) => `https://${node}:${String(spec.ports[0]?.nodePort)}`,
    ),
  );
  return createClient(kubeConfigEndpoint(config));
}

/** Waits until the Karmada is Ready for its current generation, and returns it. */
export async function untilReady(
  cluster: Cluster,
  name: string,
  namespace: string,
  deadlineMs = 180_000,
): Promise<Karmada> {
  return poll(
    `Karmada ${namespace}/${name} is ready`,
    async (seen) => {
      const karmada = await getObject<Karmada>(cluster, 'karmada', name, namespace);
      const ready = karmada.status?.conditions?.find(({ type }) => type === 'Ready');
      seen(JSON.stringify(karmada.status?.conditions));
      const current = ready?.observedGeneration === karmada.metadata.generation;
      return ready?.status === 'True' && current ? karmada : undefined;
    },
    { deadlineMs, intervalMs: 300 },
  );
}
