/** Facts about the components of a control plane that several modules need: one row for each component. Data only. */
import { recordOf } from '../kubernetes/objects/records.ts';
import type { Components } from './karmada.ts';

/** Ports that flags of a component set. etcd has none. */
export interface ServedPorts {
  /** HTTPS, with `--secure-port`. */
  readonly secure?: number;
  /** Probes, with `--health-probe-bind-address`. */
  readonly health?: number;
  /** gRPC, with `--server-port`. */
  readonly server?: number;
}

interface ComponentFacts {
  /** Key in `spec.components`. */
  readonly key: keyof Components;
  /**
   * Value of `app.kubernetes.io/name` on all its objects, and name of its folder in `src/components`. It is part of
   * immutable selectors and must never change.
   */
  readonly name: string;
  /** `instanceName(karmada, suffix)` is the name of its workload and PodDisruptionBudget; same as in the Go operator. */
  readonly suffix: string;
  /** Suffixes of its Services. Services of estimators depend on the member clusters. */
  readonly services: readonly string[];
  /** Condition type. */
  readonly condition: string;
  /** Official repository of its image. */
  readonly repository: string;
  /** Releases that its image tags follow. */
  readonly release: 'etcd' | 'kubernetes' | 'karmada';
  /** `default`: unless the spec disables it; `request`: if the spec has its key. */
  readonly installed: 'always' | 'default' | 'request';
  /** Ports of its endpoints, as in its template, which a test compares. */
  readonly ports: ServedPorts;
  /** Whether it connects to the Karmada API with a Secret `<suffix>-config`. */
  readonly kubeconfig: boolean;
}

export const CATALOG = [
  {
    key: 'etcd',
    name: 'etcd',
    suffix: 'etcd',
    services: ['etcd', 'etcd-client'],
    ports: {},
    condition: 'EtcdReady',
    repository: 'registry.k8s.io/etcd',
    release: 'etcd',
    installed: 'always',
    kubeconfig: false,
  },
  {
    key: 'karmadaAPIServer',
    name: 'karmada-apiserver',
    suffix: 'apiserver',
    services: ['apiserver'],
    ports: { secure: 5443 },
    condition: 'APIServerReady',
    kubeconfig: false,
    repository: 'registry.k8s.io/kube-apiserver',
    release: 'kubernetes',
    installed: 'always',
  },
  {
    key: 'karmadaAggregatedAPIServer',
    name: 'karmada-aggregated-apiserver',
    suffix: 'aggregated-apiserver',
    services: ['aggregated-apiserver'],
    ports: { secure: 8443 },
    kubeconfig: true,
    condition: 'AggregatedAPIServerReady',
    repository: 'docker.io/karmada/karmada-aggregated-apiserver',
    release: 'karmada',
    installed: 'always',
  },
  {
    key: 'karmadaControllerManager',
    name: 'karmada-controller-manager',
    suffix: 'controller-manager',
    services: [],
    ports: { health: 10_357 },
    kubeconfig: true,
    condition: 'ControllerManagerReady',
    repository: 'docker.io/karmada/karmada-controller-manager',
    release: 'karmada',
    installed: 'always',
  },
  {
    key: 'kubeControllerManager',
    name: 'kube-controller-manager',
    suffix: 'kube-controller-manager',
    services: [],
    ports: { secure: 10_257 },
    kubeconfig: true,
    condition: 'KubeControllerManagerReady',
    repository: 'registry.k8s.io/kube-controller-manager',
    release: 'kubernetes',
    installed: 'always',
  },
  {
    key: 'karmadaScheduler',
    name: 'karmada-scheduler',
    suffix: 'scheduler',
    services: [],
    ports: { health: 10_351 },
    condition: 'SchedulerReady',
    repository: 'docker.io/karmada/karmada-scheduler',
    release: 'karmada',
    installed: 'always',
    kubeconfig: true,
  },
  {
    key: 'karmadaWebhook',
    name: 'karmada-webhook',
    suffix: 'webhook',
    services: ['webhook'],
    ports: { secure: 8443 },
    condition: 'WebhookReady',
    repository: 'docker.io/karmada/karmada-webhook',
    release: 'karmada',
    installed: 'always',
    kubeconfig: true,
  },
  {
    key: 'karmadaMetricsAdapter',
    name: 'karmada-metrics-adapter',
    suffix: 'metrics-adapter',
    services: ['metrics-adapter'],
    ports: { secure: 8443 },
    kubeconfig: true,
    condition: 'MetricsAdapterReady',
    repository: 'docker.io/karmada/karmada-metrics-adapter',
    release: 'karmada',
    installed: 'default',
  },
  {
    key: 'karmadaDescheduler',
    name: 'karmada-descheduler',
    suffix: 'descheduler',
    services: [],
    ports: { health: 10_358 },
    condition: 'DeschedulerReady',
    kubeconfig: true,
    repository: 'docker.io/karmada/karmada-descheduler',
    release: 'karmada',
    installed: 'request',
  },
  {
    key: 'karmadaSearch',
    name: 'karmada-search',
    suffix: 'search',
    services: ['search'],
    ports: { secure: 8443 },
    condition: 'SearchReady',
    repository: 'docker.io/karmada/karmada-search',
    release: 'karmada',
    installed: 'request',
    kubeconfig: true,
  },
  {
    key: 'karmadaSchedulerEstimator',
    name: 'karmada-scheduler-estimator',
    suffix: 'scheduler-estimator',
    services: [],
    ports: { health: 10_351, server: 10_352 },
    kubeconfig: false,
    condition: 'SchedulerEstimatorReady',
    repository: 'docker.io/karmada/karmada-scheduler-estimator',
    release: 'karmada',
    installed: 'request',
  },
] as const satisfies readonly ComponentFacts[];

type Row = (typeof CATALOG)[number];

/** Component name: value of label `app.kubernetes.io/name` on all its objects, and its folder name. */
export type ComponentName = Row['name'];

/** Names of the components whose images follow these releases. */
export type ReleasedName<Release extends Row['release']> = Extract<
  Row,
  { readonly release: Release }
>['name'];

/** Components that a spec can omit or disable. */
export const OPTIONAL_COMPONENTS = CATALOG.flatMap((row) =>
  row.installed === 'always' ? [] : [row],
);

/** Suffixes of the components that a spec can omit or disable. */
export type OptionalSuffix = Exclude<Row, { readonly installed: 'always' }>['suffix'];

/** Keys of the components that are installed in this way. */
export type InstalledKey<Installed extends Row['installed']> = Exclude<
  Extract<Row, { readonly installed: Installed }>['key'],
  'etcd'
>;

/** Keys of the components that are installed in this way, without etcd. */
export function keysInstalled<Installed extends Row['installed']>(
  installed: Installed,
): readonly InstalledKey<Installed>[] {
  const isInstalled = (key: Row['key']): key is InstalledKey<Installed> =>
    key !== 'etcd' && CATALOG.some((row) => row.key === key && row.installed === installed);
  return CATALOG.map(({ key }) => key).filter(isInstalled);
}

/** Returns a table with one fact of each component, by its key in `spec.components`. */
export const factsByKey = <Fact extends keyof ComponentFacts>(
  fact: Fact,
): Readonly<Record<keyof Components, Row[Fact]>> => facts('key', fact);

/** Returns a table with one fact of each component, by its name. */
export const factsByName = <Fact extends keyof ComponentFacts>(
  fact: Fact,
): Readonly<Record<ComponentName, Row[Fact]>> => facts('name', fact);

function facts<By extends 'key' | 'name', Fact extends keyof ComponentFacts>(
  by: By,
  fact: Fact,
): Record<Row[By], Row[Fact]> {
  const rows: readonly Row[] = CATALOG;
  return recordOf(rows.map((row): [Row[By], Row[Fact]] => [row[by], row[fact]]));
}
