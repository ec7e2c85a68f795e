/** Names of the objects of a control plane; same names as in the Go operator, so that control planes can be adopted. */
import type { ObjectMeta } from '../kubernetes/objects/object.ts';
import { CATALOG, factsByKey, factsByName } from './component-catalog.ts';

/**
 * Returns the name of an object of a control plane.
 * @param karmadaName `metadata.name` of the Karmada
 * @param suffix role of the object, such as `apiserver`
 */
export function instanceName(karmadaName: string, suffix: string): string {
  return karmadaName.includes('karmada')
    ? `${karmadaName}-${suffix}`
    : `${karmadaName}-karmada-${suffix}`;
}

/** Suffixes of workloads, and of Services and PodDisruptionBudgets with the same name. */
export const WORKLOAD_SUFFIX = factsByKey('suffix');

/** The same, by the name of the component. */
export const COMPONENT_SUFFIX = factsByName('suffix');

/** Value of `app.kubernetes.io/name` for each component. */
export const COMPONENT_NAME = factsByKey('name');

/** Suffixes of Services. Service names are DNS labels, which limits the length of the name of a Karmada. */
export const SERVICE_SUFFIXES: readonly string[] = CATALOG.flatMap(({ services }) => services);

/**
 * Returns the name of the Deployment and Service of an estimator. It cannot be shortened: scheduler and descheduler
 * derive it from a prefix and the name of the member cluster.
 * @param cluster name of the member cluster
 */
export function estimatorName(karmadaName: string, cluster: string): string {
  return instanceName(karmadaName, `${WORKLOAD_SUFFIX.karmadaSchedulerEstimator}-${cluster}`);
}

/** Returns the maximum length of a member cluster name for which an estimator can have a Service. */
export function maxClusterNameLength(karmadaName: string): number {
  return MAX_LABEL_LENGTH - estimatorName(karmadaName, '').length;
}

/** Suffixes of Secrets. */
export const SECRET_SUFFIX = {
  cert: 'cert',
  etcdCert: 'etcd-cert',
  /** Copy of the Secret that the user provides for an external etcd. */
  etcdClient: 'etcd-client',
  webhookCert: 'webhook-cert',
  aggregatedAPIServerCert: 'aggregated-apiserver-cert',
  metricsAdapterCert: 'metrics-adapter-cert',
  searchCert: 'search-cert',
  schedulerEstimatorCert: 'scheduler-estimator-cert',
  serviceAccountKey: 'service-account-key',
  caBackup: 'ca-backup',
  adminConfig: 'admin-config',
  /** Client certificate with which Prometheus reads the metrics of the components. */
  metricsClient: 'metrics-client',
  /** Client certificate with which karmada-scheduler and karmada-descheduler connect to estimators. */
  estimatorClient: 'estimator-client',
  /** Last spec that was Ready, for a rollback. */
  lastReadySpec: 'last-ready-spec',
} as const;

/** Components that connect to the Karmada API; each has a kubeconfig Secret with suffix `<suffix>-config`. */
export const KUBECONFIG_SUFFIXES: readonly string[] = CATALOG.filter(
  ({ kubeconfig }) => kubeconfig,
).map(({ suffix }) => suffix);

const SECRET_SUFFIXES: readonly string[] = [
  ...Object.values(SECRET_SUFFIX),
  ...KUBECONFIG_SUFFIXES.map((suffix) => `${suffix}-config`),
];

/** Names of all Secrets of a control plane. @param name of the Karmada */
export const secretNamesOf = (name: string): readonly string[] =>
  SECRET_SUFFIXES.map((suffix) => instanceName(name, suffix));

/** Longest DNS label (RFC 1123), hence the longest Service name. */
const MAX_LABEL_LENGTH = 63;

/**
 * Returns the maximum length of the name of a Karmada whose Services can all be created: 34 characters, or 42 if the
 * name contains `karmada`.
 */
export function maxNameLength(karmadaName: string): number {
  const longest = Math.max(...SERVICE_SUFFIXES.map((suffix) => suffix.length));
  const infix = karmadaName.includes('karmada') ? '-' : '-karmada-';
  return MAX_LABEL_LENGTH - infix.length - longest;
}

/**
 * Whether two Karmadas in one namespace have objects with the same names, such as `demo` and `demo-karmada`.
 * A name does not collide with itself.
 */
export function namesCollide(one: string, other: string): boolean {
  return one !== other && instanceName(one, '') === instanceName(other, '');
}

type Named = Pick<ObjectMeta, 'name' | 'namespace' | 'uid' | 'creationTimestamp'>;

/**
 * Returns the Karmada that was created earlier and owns the object names of `karmada`, or undefined if there is none.
 * For equal creation times the lower UID counts as earlier, so that exactly one of two Karmadas owns the names.
 * @param others all known Karmadas in any namespace, possibly including `karmada`
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
  // Creation times are RFC 3339 in UTC, whose order is that of the texts.
  const age = ({ creationTimestamp = '', uid = '' }: Named): string =>
    `${creationTimestamp}/${uid}`;
  return age(one) < age(other);
}
