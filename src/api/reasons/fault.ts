/** Whose fault a reason reports: one classification for conditions, Events, metrics and the kubectl plugin. Data only. */

/** Who can remove the fault. */
export type FaultClass = 'operator' | 'component' | 'cluster' | 'user' | 'network';

interface FaultFacts {
  /** Absent for a normal state, and for a reason that only points to another condition. */
  readonly class?: FaultClass;
  /** Completes "The cause is …". */
  readonly meaning: string;
}

/** What a reason is about. Each reason has exactly one of these. */
export const FAULTS = {
  none: { meaning: 'no fault, or a fault that another condition names' },
  operator: { class: 'operator', meaning: 'a defect of the operator or of its image' },
  component: { class: 'component', meaning: 'a component that fails by itself' },
  scheduling: { class: 'cluster', meaning: 'nodes that do not fit the Pods' },
  quota: { class: 'cluster', meaning: 'a quota or limit of the namespace' },
  admission: { class: 'cluster', meaning: 'an admission policy or webhook of the host cluster' },
  volume: { class: 'cluster', meaning: 'storage: a volume, its PVC or its StorageClass' },
  image: { class: 'cluster', meaning: 'an image that a node cannot pull' },
  node: { class: 'cluster', meaning: 'a node, its container runtime or its kubelet' },
  api: { class: 'cluster', meaning: 'an API server that does not process a request' },
  spec: { class: 'user', meaning: 'a field of the spec, or an object in the way' },
  flag: { class: 'user', meaning: 'a command line flag or feature gate in the spec' },
  resources: { class: 'user', meaning: 'resource limits in the spec' },
  webhook: { class: 'user', meaning: 'an admission webhook of the user in the control plane' },
  secret: { class: 'user', meaning: 'a Secret or ConfigMap that the user provides' },
  ca: { class: 'user', meaning: 'a CA or certificate that the user provides' },
  permission: { class: 'user', meaning: 'RBAC permissions or the CRD of the installation' },
  decision: { class: 'user', meaning: 'a decision that only the user can take' },
  network: { class: 'network', meaning: 'a connection or a DNS name' },
} as const satisfies Readonly<Record<string, FaultFacts>>;

export type Fault = keyof typeof FAULTS;

/** Returns who can remove a fault; undefined for `none`. */
export function classOf(fault: Fault): FaultClass | undefined {
  const facts: FaultFacts = FAULTS[fault];
  return facts.class;
}

/** Class and subject for people, such as `cluster (quota)`; empty for `none`. */
export function faultText(fault: Fault): string {
  const name = classOf(fault);
  if (name === undefined) return '';
  return name === fault ? name : `${name} (${fault})`;
}
