/** Semantics of NetworkPolicies, as `networking.k8s.io/v1` defines them, for the fields that the operator uses. */
import type { KubernetesObject } from '../../../kubernetes/objects/object.ts';

type Labels = Readonly<Record<string, string>>;

interface EvaluatedPod {
  readonly namespace: string;
  readonly labels: Labels;
}

/** A Pod, or an address outside the cluster: one in the range 203.0.113.0/24, or another one. */
export type Endpoint = EvaluatedPod | 'outside' | 'in range';

export interface Connection {
  readonly from: Endpoint;
  readonly to: Endpoint;
  readonly port: number;
  readonly protocol?: 'TCP' | 'UDP' | 'SCTP';
}

interface Selector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: 'In' | 'NotIn';
    readonly values: readonly string[];
  }[];
}

interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: '203.0.113.0/24' };
}

interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly { readonly port: number; readonly protocol: string }[];
}

interface PolicySpec {
  readonly podSelector: Selector;
  readonly policyTypes: readonly ('Ingress' | 'Egress')[];
  readonly ingress?: readonly Rule[];
  readonly egress?: readonly Rule[];
}

/** Whether the policies allow a connection: those of the source its egress, and those of the destination its ingress. */
export function isAllowed(policies: readonly KubernetesObject[], connection: Connection): boolean {
  const { from, to } = connection;
  return (
    allows(policies, 'Egress', { subject: from, other: to, connection }) &&
    allows(policies, 'Ingress', { subject: to, other: from, connection })
  );
}

interface Side {
  readonly subject: Endpoint;
  readonly other: Endpoint;
  readonly connection: Connection;
}

/** A Pod that no policy selects for the direction is not restricted. */
function allows(
  policies: readonly KubernetesObject[],
  direction: 'Ingress' | 'Egress',
  { subject, other, connection }: Side,
): boolean {
  if (typeof subject === 'string') return true;
  const { port, protocol = 'TCP' } = connection;
  const selecting = policies.filter(
    (policy) =>
      policy.metadata.namespace === subject.namespace &&
      specOf(policy).policyTypes.includes(direction) &&
      matches(specOf(policy).podSelector, subject.labels),
  );
  if (selecting.length === 0) return true;
  return selecting.some((policy) => {
    const { ingress = [], egress = [] } = specOf(policy);
    const { namespace = '' } = policy.metadata;
    return (direction === 'Ingress' ? ingress : egress).some(
      ({ from, to, ports }) =>
        isPeer(direction === 'Ingress' ? from : to, other, namespace) &&
        (ports?.some((one) => one.port === port && one.protocol === protocol) ?? true),
    );
  });
}

const specOf = (policy: KubernetesObject): PolicySpec => policy['spec'] as PolicySpec;

function isPeer(peers: readonly Peer[] | undefined, other: Endpoint, namespace: string): boolean {
  if (peers === undefined) return true;
  if (typeof other === 'string')
    return other === 'in range' && peers.some(({ ipBlock }) => ipBlock !== undefined);
  return peers.some(({ podSelector = {}, namespaceSelector, ipBlock }) => {
    if (ipBlock !== undefined) return false;
    const isThere =
      namespaceSelector === undefined
        ? other.namespace === namespace
        : matches(namespaceSelector, { 'kubernetes.io/metadata.name': other.namespace });
    return isThere && matches(podSelector, other.labels);
  });
}

const matches = ({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every(({ key, operator, values }) => {
    const value = labels[key];
    const isIn = value !== undefined && values.includes(value);
    return operator === 'In' ? isIn : !isIn;
  });
