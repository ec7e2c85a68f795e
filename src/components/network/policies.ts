/**
 * NetworkPolicies of a control plane: pure. Each selects the Pods of one group of one Karmada, and contains all their edges. So it is
 * effective as a whole, in any order with the others, and does not open the Pods of another Karmada in the namespace.
 */
import { BACKUP_KARMADA } from '../../api/backup/kinds.ts';
import {
  BACKUP_PODS,
  COMPONENT,
  INSTANCE,
  instanceLabels,
  RECOVERY_PODS,
} from '../../api/labels.ts';
import { COMPONENT_SUFFIX, instanceName } from '../../api/naming.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { ComponentName, RenderInput } from '../component.ts';
import { DNS_PORTS, EDGES, FREE_EGRESS, type PodGroup, type Source } from './edges.ts';

type Input = Pick<RenderInput, 'name' | 'namespace' | 'spec' | 'operatorNamespace'>;
type Labels = Readonly<Record<string, string>>;

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'] as const;

interface Port {
  readonly protocol: (typeof PROTOCOLS)[number];
  readonly port: number;
}

interface Peer {
  readonly podSelector: object;
  readonly namespaceSelector?: object;
}

/** Without `from` or `to`, the rule allows all addresses; without `ports`, all ports. */
interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly (Peer | { readonly ipBlock: { readonly cidr: string } })[];
  readonly ports?: readonly Port[];
}

/**
 * Renders the NetworkPolicies of a component. Those of etcd include the Pods of backups and recoveries.
 * @returns an empty list unless the spec enforces them
 */
export function networkPolicies(
  component: ComponentName,
  input: Input,
): readonly KubernetesObject[] {
  if (input.spec.networkPolicy !== 'Enforced') return [];
  const groups: readonly PodGroup[] =
    component === 'etcd' ? [component, RECOVERY_PODS, BACKUP_PODS] : [component];
  return groups.map((group) => policy(component, group, input));
}

function policy(component: ComponentName, group: PodGroup, input: Input): KubernetesObject {
  const { name, namespace } = input;
  const ingress = ingressOf(group, input);
  const egress = egressOf(group, input);
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: {
      name: instanceName(name, suffixOf(group)),
      namespace,
      labels: instanceLabels(name, component),
    },
    spec: {
      podSelector: { matchLabels: labelsOf(group, name) },
      policyTypes: egress === undefined ? ['Ingress'] : ['Ingress', 'Egress'],
      ...(ingress.length > 0 && { ingress }),
      ...(egress && { egress }),
    },
  };
}

const suffixOf = (group: PodGroup): string => {
  if (group === BACKUP_PODS) return 'backup';
  return group === RECOVERY_PODS ? RECOVERY_PODS : COMPONENT_SUFFIX[group];
};

/** Labels that select the Pods of a group. Pods of backups may outlive the Karmada, so they have a label of their own for it. */
const labelsOf = (group: PodGroup, name: string): Labels => ({
  [COMPONENT]: group,
  [group === BACKUP_PODS ? BACKUP_KARMADA : INSTANCE]: name,
});

function ingressOf(group: PodGroup, input: Input): readonly Rule[] {
  const edges = EDGES.filter(({ to }) => to.includes(group));
  const ports = [...new Set(edges.map(({ port }) => port))];
  const rules = ports.flatMap((port) => {
    const sources = edges.filter((edge) => edge.port === port).flatMap(({ from }) => from);
    return ingressRule(port, sources, input);
  });
  return group === 'karmada-apiserver' ? [...rules, ...sidecarRules(input)] : rules;
}

/** @returns no rule if the spec allows none of the sources */
function ingressRule(port: number, sources: readonly Source[], input: Input): readonly Rule[] {
  const ports = [tcp(port)];
  const peers = sources.map((source) => peersOf(source, input));
  if (peers.includes('all')) return [{ ports }];
  const from = peers.flatMap((some) => (some === 'all' ? [] : some));
  return from.length === 0 ? [] : [{ from, ports }];
}

/** Ports that a sidecar of the API server declares, such as those for agents of a network proxy. */
function sidecarRules({ spec }: Input): readonly Rule[] {
  const { sidecarContainers = [] } = spec.components.karmadaAPIServer;
  return sidecarContainers
    .flatMap(({ ports = [] }) => ports)
    .map(({ containerPort, protocol }) => ({
      ports: [
        { protocol: PROTOCOLS.find((one) => one === protocol) ?? 'TCP', port: containerPort },
      ],
    }));
}

/** @returns undefined if the egress is not restricted */
function egressOf(group: PodGroup, { name, spec }: Input): readonly Rule[] | undefined {
  const isFree = FREE_EGRESS.has(group);
  const { egressCIDRs } = spec;
  if (isFree && egressCIDRs === undefined) return undefined;
  const blocks = isFree ? (egressCIDRs ?? []) : [];
  const dns = DNS_PORTS.flatMap((port) => [{ protocol: 'UDP', port } as const, tcp(port)]);
  const edges = EDGES.filter(({ from }) => from.includes(group));
  return [
    { ports: dns },
    ...edges.map(({ to, port }) => ({
      to: to.map((target) => podsOf(target, name)),
      ports: [tcp(port)],
    })),
    ...(blocks.length > 0 ? [{ to: blocks.map((cidr) => ({ ipBlock: { cidr } })) }] : []),
  ];
}

const tcp = (port: number): Port => ({ protocol: 'TCP', port });

function peersOf(source: Source, input: Input): readonly Peer[] | 'all' {
  if (source === 'clients') return 'all';
  if (source === 'monitoring') return monitoringPeers(input);
  if (source !== 'operator') return [podsOf(source, input.name)];
  const { operatorNamespace: namespace } = input;
  return namespace === undefined ? [] : [podsIn([namespace])];
}

function monitoringPeers({ spec: { monitoring = {} } }: Input): readonly Peer[] {
  const { clientCertificate = false, namespaces } = monitoring;
  if (namespaces === undefined) return clientCertificate ? [podAnywhere()] : [];
  return namespaces.length === 0 ? [] : [podsIn(namespaces)];
}

/** Pods in the namespace of the policy. */
const podsOf = (group: PodGroup, name: string): Peer => ({
  podSelector: { matchLabels: labelsOf(group, name) },
});

/** Groups of Pods of control planes. */
const GROUPS: readonly PodGroup[] = [...new Set(EDGES.flatMap(({ to }) => to)), BACKUP_PODS];

/** Pods that belong to no control plane. */
const otherPods = (): object => ({
  matchExpressions: [{ key: COMPONENT, operator: 'NotIn', values: [...GROUPS] }],
});

/** Pods of all namespaces, except those of control planes. Port 2381 of etcd has no authentication. */
const podAnywhere = (): Peer => ({ namespaceSelector: {}, podSelector: otherPods() });

/** Pods of namespaces by name, except those of control planes, which may be there too. */
const podsIn = (namespaces: readonly string[]): Peer => ({
  namespaceSelector: {
    matchExpressions: [{ key: NAMESPACE_NAME, operator: 'In', values: [...namespaces] }],
  },
  podSelector: otherPods(),
});

/** Label that Kubernetes sets on each Namespace. */
const NAMESPACE_NAME = 'kubernetes.io/metadata.name';
