import { join } from 'node:path';
import { instanceName } from '../../src/api/naming.ts';
import { kubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { inNode } from '../../tools/embedded-cluster/node.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { karmadaReleases } from '../../tools/embedded-cluster/releases.ts';
import { addressesOf, slotOf } from '../../tools/embedded-cluster/slot.ts';
import type { ControlPlane } from './control-plane.ts';

/** Flags of karmadactl join and unjoin that give access to the member cluster. */
export async function accessTo(member: Cluster): Promise<string[]> {
  const context = await kubectl(member, ['config', 'current-context']);
  return [`--cluster-kubeconfig=${member.kubeconfig}`, `--cluster-context=${context.trim()}`];
}

/** A control plane whose API server has a node port, and its host cluster. */
export interface Registrar {
  readonly plane: ControlPlane;
  readonly host: Cluster;
  readonly name: string;
  readonly namespace: string;
  /** `host:port` that agents use; that of the node port if absent. Names are looked up in the DNS of the member cluster. */
  readonly endpoint?: string;
}

/** Address of the API server of a control plane with a node port, as `host:port`. */
export async function nodePortOf(host: Cluster, name: string, namespace: string): Promise<string> {
  const service = ['get', 'service', instanceName(name, 'apiserver'), '-n', namespace, '-o'];
  const port = await kubectl(host, [...service, 'jsonpath={.spec.ports[0].nodePort}']);
  return `${addressesOf(slotOf(host.name) ?? NaN).node}:${port}`;
}

/**
 * Registers a cluster in pull mode, with a bootstrap token of the control plane, from the node of that cluster.
 * @returns the output of karmadactl, and the CA certificate hashes used to verify the control plane
 */
export async function register(
  { plane, host, name, namespace, endpoint }: Registrar,
  member: Cluster,
  called: string,
): Promise<{ readonly output: string; readonly pins: readonly string[] }> {
  const printed = await plane.karmadactl(['token', 'create', '--print-register-command']);
  const token = /--token (\S+)/.exec(printed)?.[1] ?? printed;
  const pins = printed.match(/--discovery-token-ca-cert-hash \S+/g) ?? [];
  const command = [
    join(member.bin, 'karmadactl'),
    'register',
    endpoint ?? (await nodePortOf(host, name, namespace)),
    '--kubeconfig',
    member.kubeconfig,
    '--cluster-name',
    called,
    '--token',
    token,
    ...pins.flatMap((pin) => pin.split(' ')),
    '--karmada-agent-image',
    `docker.io/karmada/karmada-agent:${karmadaReleases.current}`,
  ];
  return { output: await run(inNode(member.node, withClusterDns(member, command))), pins };
}

/** Command that runs with the DNS of the cluster, like its Pods. */
function withClusterDns({ name, node }: Cluster, command: readonly string[]): string[] {
  const file = join(node.directory, 'cluster-dns.conf');
  const { dns } = addressesOf(slotOf(name) ?? NaN);
  const script =
    'echo "nameserver $1" > "$2"; mount --bind "$2" /etc/resolv.conf; shift 2; exec "$@"';
  return ['unshare', '--mount', 'sh', '-euc', script, 'sh', dns, file, ...command];
}

/**
 * Waits until the member cluster is ready in the expected sync mode. An agent that did not reach the API server exits, and
 * kubelet starts it again after up to 160 s in the fifth attempt.
 */
export async function untilMember(
  plane: ControlPlane,
  member: string,
  mode: 'Push' | 'Pull',
): Promise<void> {
  await poll(
    `member cluster ${member} is ready`,
    async (seen) => {
      const shown = 'jsonpath={.status.conditions[?(@.type=="Ready")].status} {.spec.syncMode}';
      const result = await plane.tryKubectl(['get', 'cluster', member, '-o', shown]);
      seen(result.stdout + result.stderr);
      return result.stdout === `True ${mode}` ? true : undefined;
    },
    { deadlineMs: 240_000 },
  );
}

/**
 * Deployment `divided` in namespace `default`, with a policy that divides replicas by available replicas, which
 * requires an estimator.
 */
export function dividedDeployment(replicas: number): readonly object[] {
  const labels = { app: 'divided' };
  const metadata = { name: 'divided', namespace: 'default' };
  const container = {
    name: 'divided',
    image: 'docker.io/library/busybox:1.36',
    command: ['sleep', '3600'],
    resources: { requests: { cpu: '1m', memory: '1Mi' } },
  };
  const template = {
    metadata: { labels },
    spec: { terminationGracePeriodSeconds: 1, containers: [container] },
  };
  const replicaScheduling = {
    replicaSchedulingType: 'Divided',
    replicaDivisionPreference: 'Weighted',
    weightPreference: { dynamicWeight: 'AvailableReplicas' },
  };
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: { replicas, selector: { matchLabels: labels }, template },
    },
    {
      apiVersion: 'policy.karmada.io/v1alpha1',
      kind: 'PropagationPolicy',
      metadata,
      spec: {
        resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'divided' }],
        placement: { replicaScheduling },
      },
    },
  ];
}
