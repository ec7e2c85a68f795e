/** Names of all objects an instance owns (upstream's rule, so that instances can be taken over). */
import type { Components } from './karmada.ts';

/**
 * `N(suffix)`: the name of an object of one instance.
 * @param karmadaName `metadata.name` of the Karmada
 * @param suffix what the object is, such as `apiserver`
 */
export function instanceName(karmadaName: string, suffix: string): string {
  return karmadaName.includes('karmada')
    ? `${karmadaName}-${suffix}`
    : `${karmadaName}-karmada-${suffix}`;
}

/** Suffixes of workloads (and of the Services and disruption budgets that bear the same name). */
export const WORKLOAD_SUFFIX = {
  etcd: 'etcd',
  karmadaAPIServer: 'apiserver',
  karmadaAggregatedAPIServer: 'aggregated-apiserver',
  kubeControllerManager: 'kube-controller-manager',
  karmadaControllerManager: 'controller-manager',
  karmadaScheduler: 'scheduler',
  karmadaWebhook: 'webhook',
  karmadaDescheduler: 'descheduler',
  karmadaSearch: 'search',
  karmadaMetricsAdapter: 'metrics-adapter',
  karmadaSchedulerEstimator: 'scheduler-estimator',
} as const;

/** Value of `app.kubernetes.io/name` for each component: part of selectors, so never another. */
export const COMPONENT_NAME: Readonly<Record<keyof Components, string>> = {
  etcd: 'etcd',
  karmadaAPIServer: 'karmada-apiserver',
  karmadaAggregatedAPIServer: 'karmada-aggregated-apiserver',
  kubeControllerManager: 'kube-controller-manager',
  karmadaControllerManager: 'karmada-controller-manager',
  karmadaScheduler: 'karmada-scheduler',
  karmadaWebhook: 'karmada-webhook',
  karmadaDescheduler: 'karmada-descheduler',
  karmadaSearch: 'karmada-search',
  karmadaMetricsAdapter: 'karmada-metrics-adapter',
  karmadaSchedulerEstimator: 'karmada-scheduler-estimator',
};

/** Suffixes of Services; each is a DNS label, which is what limits the length of a Karmada's name. */
export const SERVICE_SUFFIXES = [
  'etcd',
  'etcd-client',
  'apiserver',
  'aggregated-apiserver',
  'webhook',
  'search',
  'metrics-adapter',
] as const;

/**
 * Name of an estimator's Deployment and Service. Scheduler and descheduler put it together by
 * themselves from the prefix they are given, so it cannot be shortened.
 * @param cluster name of the member
 */
export function estimatorName(karmadaName: string, cluster: string): string {
  return instanceName(karmadaName, `${WORKLOAD_SUFFIX.karmadaSchedulerEstimator}-${cluster}`);
}

/** The longest name of a member for which an estimator can have a Service. */
export function maxClusterNameLength(karmadaName: string): number {
  return MAX_LABEL_LENGTH - estimatorName(karmadaName, '').length;
}

/** Suffixes of Secrets. */
export const SECRET_SUFFIX = {
  cert: 'cert',
  etcdCert: 'etcd-cert',
  /** Copy of the user's Secret for an external etcd. */
  etcdClient: 'etcd-client',
  webhookCert: 'webhook-cert',
  aggregatedAPIServerCert: 'aggregated-apiserver-cert',
  metricsAdapterCert: 'metrics-adapter-cert',
  searchCert: 'search-cert',
  schedulerEstimatorCert: 'scheduler-estimator-cert',
  serviceAccountKey: 'service-account-key',
  caBackup: 'ca-backup',
  adminConfig: 'admin-config',
} as const;

/** Components that talk to the Karmada API and so have a kubeconfig Secret `N(<suffix>-config)`. */
export const KUBECONFIG_SUFFIXES = [
  'aggregated-apiserver',
  'controller-manager',
  'kube-controller-manager',
  'scheduler',
  'webhook',
  'metrics-adapter',
  'descheduler',
  'search',
] as const;

/** Longest DNS label (RFC 1123), hence the longest Service name. */
const MAX_LABEL_LENGTH = 63;

/**
 * The longest name a Karmada may have so that all its Services can be created: 34 characters, or 42
 * when the name contains `karmada`.
 */
export function maxNameLength(karmadaName: string): number {
  const longest = Math.max(...SERVICE_SUFFIXES.map((suffix) => suffix.length));
  const infix = karmadaName.includes('karmada') ? '-' : '-karmada-';
  return MAX_LABEL_LENGTH - infix.length - longest;
}

/**
 * Whether two Karmadas of one namespace would own the same objects: `demo` and `demo-karmada` do.
 * A name is not in collision with itself.
 */
export function namesCollide(one: string, other: string): boolean {
  return one !== other && instanceName(one, '') === instanceName(other, '');
}

interface Named {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** RFC 3339, as in `metadata.creationTimestamp`. */
  readonly creationTimestamp: string;
}

/**
 * The older Karmada that already owns the names `karmada` would use, or undefined when there is
 * none. Equal ages are told apart by uid, so that exactly one of two gives way.
 * @param others all Karmadas known, in any namespace, `karmada` itself allowed
 */
export function nameOwner<T extends Named>(karmada: Named, others: readonly T[]): T | undefined {
  return others.find(
    (other) =>
      other.namespace === karmada.namespace &&
      namesCollide(other.name, karmada.name) &&
      isOlder(other, karmada),
  );
}

function isOlder(one: Named, other: Named): boolean {
  if (one.creationTimestamp !== other.creationTimestamp) {
    return one.creationTimestamp < other.creationTimestamp;
  }
  return one.uid < other.uid;
}
