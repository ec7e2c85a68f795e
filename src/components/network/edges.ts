/**
 * Edges of the architecture: who connects to which port of which Pods. Data only. NetworkPolicies follow from it, and tests compare
 * it with the ports of the templates and with the table of `docs/security.md`.
 */
import { BACKUP_PODS, RECOVERY_PODS } from '../../api/labels.ts';
import type { ComponentName } from '../component.ts';

/** Value of `app.kubernetes.io/name` of Pods of a control plane: a component, or Pods that the operator creates itself. */
export type PodGroup = ComponentName | typeof BACKUP_PODS | typeof RECOVERY_PODS;

/** `clients`: users, agents and member clusters anywhere. `monitoring`: what `spec.monitoring` allows. */
export type Source = PodGroup | 'operator' | 'clients' | 'monitoring';

/** TCP connections. */
interface Edge {
  readonly from: readonly Source[];
  readonly to: readonly PodGroup[];
  /** Port of the Pods. */
  readonly port: number;
  readonly purpose: string;
}

const API_SERVERS = [
  'karmada-apiserver',
  'karmada-aggregated-apiserver',
  'karmada-search',
] as const satisfies readonly ComponentName[];

/** Components that karmada-apiserver calls. */
const CALLED = [
  'karmada-aggregated-apiserver',
  'karmada-webhook',
  'karmada-search',
  'karmada-metrics-adapter',
] as const satisfies readonly ComponentName[];

/** Components with a kubeconfig of the control plane. */
const API_CLIENTS = [
  ...CALLED,
  'karmada-controller-manager',
  'kube-controller-manager',
  'karmada-scheduler',
  'karmada-descheduler',
] as const satisfies readonly ComponentName[];

/** Components that serve metrics over HTTP on a port of their own. */
const METRICS_SERVERS = [
  'karmada-controller-manager',
  'karmada-scheduler',
  'karmada-webhook',
  'karmada-descheduler',
  'karmada-metrics-adapter',
  'karmada-scheduler-estimator',
] as const satisfies readonly ComponentName[];

/** All edges. A kubelet also connects, for probes and port-forwards, which no NetworkPolicy restricts. */
export const EDGES: readonly Edge[] = [
  { from: API_SERVERS, to: ['etcd'], port: 2379, purpose: 'data of the control plane' },
  {
    from: [BACKUP_PODS, RECOVERY_PODS],
    to: ['etcd'],
    port: 2379,
    purpose: 'data of backups and recoveries',
  },
  {
    from: ['operator'],
    to: ['etcd', RECOVERY_PODS],
    port: 2379,
    purpose: 'state of the etcd members',
  },
  { from: ['etcd'], to: ['etcd'], port: 2380, purpose: 'replication between the members' },
  {
    from: ['operator'],
    to: ['etcd'],
    port: 2380,
    purpose: 'in a rotation of the CA, the certificate between the members',
  },
  {
    from: [...API_CLIENTS, 'operator', 'clients'],
    to: ['karmada-apiserver'],
    port: 5443,
    purpose: 'objects inside the control plane',
  },
  {
    from: ['karmada-apiserver'],
    to: CALLED,
    port: 8443,
    purpose: 'aggregated APIs, admission webhooks',
  },
  {
    from: ['operator'],
    to: CALLED,
    port: 8443,
    purpose: 'whether their Services are reachable; in a rotation, which CAs they accept',
  },
  {
    from: ['karmada-scheduler', 'karmada-descheduler'],
    to: ['karmada-scheduler-estimator'],
    port: 10_352,
    purpose: 'free resources of member clusters',
  },
  {
    from: ['operator'],
    to: ['karmada-scheduler-estimator'],
    port: 10_352,
    purpose: 'in a rotation, which CAs they accept',
  },
  { from: ['monitoring'], to: ['etcd'], port: 2381, purpose: 'metrics' },
  { from: ['monitoring'], to: METRICS_SERVERS, port: 8080, purpose: 'metrics' },
  {
    from: ['monitoring'],
    to: ['karmada-aggregated-apiserver', 'karmada-search'],
    port: 8443,
    purpose: 'metrics',
  },
  { from: ['monitoring'], to: ['kube-controller-manager'], port: 10_257, purpose: 'metrics' },
];

/** Ports of health checks. Only a kubelet connects to them. */
export const PROBE_PORTS: Readonly<Partial<Record<ComponentName, number>>> = {
  'karmada-controller-manager': 10_357,
  'karmada-scheduler': 10_351,
  'karmada-webhook': 8000,
  'karmada-descheduler': 10_358,
  'karmada-scheduler-estimator': 10_351,
};

/** Pods that also connect to addresses which the operator does not know, and why. All others connect only along edges. */
export const FREE_EGRESS: ReadonlyMap<PodGroup, string> = new Map<PodGroup, string>([
  ['karmada-apiserver', 'webhooks and identity providers of users, external etcd, sidecars'],
  ['karmada-aggregated-apiserver', 'API servers of member clusters, external etcd'],
  ['karmada-search', 'API servers of member clusters, its back ends, external etcd'],
  ['karmada-metrics-adapter', 'API servers of member clusters'],
  ['karmada-controller-manager', 'API servers of member clusters, interpreter webhooks'],
  ['karmada-scheduler-estimator', 'API server of its member cluster'],
  [BACKUP_PODS, 'store of the backup'],
  [RECOVERY_PODS, 'store of the backup that is restored'],
]);

/** Ports of DNS servers: 53, and 5353 of the Pods of OpenShift. The addresses differ between clusters, and may be those of nodes. */
export const DNS_PORTS = [53, 5353] as const;
