/**
 * Defaults of a Karmada. `defaultSpec` computes them for rendering. Like the Go operator, `defaultsPatch` also stores
 * them in the object, so that a newer operator with other defaults does not change existing control planes.
 * The values equal those of the Go operator, except for versions and etcd storage.
 */
import type {
  ComponentKey,
  Components,
  Etcd,
  ExternalEtcd,
  HostCluster,
  KarmadaAPIServer,
  KarmadaSpec,
  LocalEtcd,
  VolumeData,
} from '../karmada.ts';
import type { CommonSettings } from '../settings.ts';
import { addonsOf, type DisabledAddon } from '../addon.ts';
import { keysInstalled, type InstalledKey } from '../component-catalog.ts';
import { fill } from './fill.ts';
import {
  DEFAULT_ETCD_TAG,
  DEFAULT_KARMADA_TAG,
  defaultRepository,
  defaultTag,
  ETCD_REPOSITORY,
  KARMADA_COMPONENTS,
  KUBERNETES_COMPONENTS,
  kubernetesTagFor,
  REPOSITORY,
} from '../images.ts';
import { DEFAULT_PRIORITY_CLASS } from './pod-settings.ts';

export const DEFAULT_DNS_DOMAIN = 'cluster.local';
/** kube-apiserver requires the IP family of its own address. With both families, it prefers its IPv4 address. */
export const DEFAULT_SERVICE_SUBNET: Readonly<Record<IPFamily, string>> = {
  IPv4: '10.96.0.0/12',
  IPv6: 'fd00:10:96::/112',
};
/**
 * Size of the etcd PVC. The etcd database is limited to 2 GiB, defragmentation temporarily needs the same again, and
 * the write-ahead log and the snapshots need space too.
 */
const DEFAULT_ETCD_STORAGE = '8Gi';

/** Components that are always installed, besides etcd. */
const ALWAYS_INSTALLED = keysInstalled('always');

/** Facts about the host cluster that the defaults depend on. */
export interface HostFacts {
  /** Whether the host cluster has a default StorageClass. */
  readonly defaultStorageClass: boolean;
  /** IP family that kube-apiserver uses in its Pods; absent if unknown. */
  readonly ipFamily?: IPFamily;
}

export type IPFamily = 'IPv4' | 'IPv6';

type Filled = 'imageRepository' | 'imageTag' | 'imagePullPolicy' | 'replicas' | 'priorityClassName';
type WithDefaults<T extends CommonSettings, Key extends keyof T = never> = T & {
  readonly [K in Filled | Key]-?: NonNullable<T[K]>;
};

/** Common settings of a component with defaults, as input for rendering. */
export type DefaultedSettings = WithDefaults<CommonSettings>;
export type DefaultedLocalEtcd = WithDefaults<LocalEtcd, 'volumeData'>;
type DefaultedEtcd =
  | { readonly local: DefaultedLocalEtcd; readonly external?: undefined }
  | { readonly external: ExternalEtcd; readonly local?: undefined };
type DefaultedAPIServer = WithDefaults<KarmadaAPIServer, 'serviceSubnet' | 'serviceType'>;

export type DefaultedComponents = {
  readonly [K in Exclude<InstalledKey<'always'>, 'karmadaAPIServer'>]: WithDefaults<
    NonNullable<Components[K]>
  >;
} & {
  readonly [K in InstalledKey<'default'>]: WithDefaults<NonNullable<Components[K]>> | DisabledAddon;
} & {
  readonly [K in InstalledKey<'request'>]?:
    WithDefaults<NonNullable<Components[K]>> | DisabledAddon;
} & { readonly karmadaAPIServer: DefaultedAPIServer; readonly etcd: DefaultedEtcd };

/** Spec with all defaults, as input for rendering. */
export interface DefaultedSpec extends Omit<KarmadaSpec, 'hostCluster' | 'components'> {
  readonly hostCluster: HostCluster & { readonly networking: { readonly dnsDomain: string } };
  readonly components: DefaultedComponents;
}

/**
 * Returns the spec with all defaults. Idempotent. User values stay; an empty string counts as unset.
 * Input must be accepted by `validate`. If it has both a local and an external etcd (`validate` rejects that), only
 * the external one remains.
 */
export function defaultSpec(spec: KarmadaSpec | undefined, host: HostFacts): DefaultedSpec {
  const given = spec ?? {};
  const stored = fill(given, storedDefaults(given, host));
  const filled = fill(stored, implicitDefaults(given)) as DefaultedSpec;
  const external = given.components?.etcd?.external;
  return external
    ? { ...filled, components: { ...filled.components, etcd: { external } } }
    : filled;
}

/**
 * Returns the defaults that the operator stores in the Karmada, for all fields, whether the user set them or not.
 * The set of components and their versions follow the fields that the user set.
 */
export function storedDefaults(spec: KarmadaSpec, host: HostFacts): KarmadaSpec {
  const blocks = installedComponents(spec).map(
    (key) => [key, storedSettings(spec, key, host)] as const,
  );
  return {
    hostCluster: { networking: { dnsDomain: DEFAULT_DNS_DOMAIN } },
    components: { ...Object.fromEntries(blocks), ...storedEtcd(spec, host) },
  };
}

/**
 * Defaults that the operator does not store: CRD defaults, which the API server sets, and repositories, which must
 * follow changes of `privateRegistry`.
 */
function implicitDefaults(spec: KarmadaSpec): KarmadaSpec {
  const registry = spec.privateRegistry?.registry;
  const settings = (official: string): CommonSettings => ({
    imageRepository: defaultRepository(official, registry),
    priorityClassName: DEFAULT_PRIORITY_CLASS,
  });
  const blocks = installedComponents(spec).map((key) => [key, settings(REPOSITORY[key])] as const);
  const components: Components = Object.fromEntries(blocks);
  return {
    ...(spec.crdTarball && { crdTarball: { crdDownloadPolicy: 'IfNotPresent' } }),
    components: {
      ...components,
      karmadaAPIServer: { ...components.karmadaAPIServer, serviceType: 'ClusterIP' },
      ...(!spec.components?.etcd?.external && { etcd: { local: settings(ETCD_REPOSITORY) } }),
    },
  };
}

/** Returns the keys of the components that a spec installs, without etcd. */
export function installedComponents(spec: KarmadaSpec): readonly ComponentKey[] {
  return [...ALWAYS_INSTALLED, ...addonsOf(spec)];
}

/** Whether no volume type is set. */
function isEmptyVolume(volume: VolumeData | undefined): boolean {
  return !volume?.volumeClaim && !volume?.hostPath && !volume?.emptyDir;
}

/** Default etcd storage: a PVC if the host cluster has a default StorageClass, else an emptyDir. */
function defaultVolumeData(host: HostFacts): VolumeData {
  if (!host.defaultStorageClass) return { emptyDir: {} };
  const requests = { storage: DEFAULT_ETCD_STORAGE };
  return { volumeClaim: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests } } } };
}

function storedSettings(spec: KarmadaSpec, key: ComponentKey, host: HostFacts): KarmadaAPIServer {
  const kubernetes = KUBERNETES_COMPONENTS.includes(key);
  return {
    ...storedRepository(spec, REPOSITORY[key]),
    imageTag: kubernetes
      ? defaultTag(spec.components, KUBERNETES_COMPONENTS, kubernetesTagFor(spec.version))
      : spec.version || defaultTag(spec.components, KARMADA_COMPONENTS, DEFAULT_KARMADA_TAG),
    imagePullPolicy: 'IfNotPresent',
    replicas: key === 'karmadaMetricsAdapter' ? 2 : 1,
    ...(key === 'karmadaAPIServer' && {
      serviceSubnet: DEFAULT_SERVICE_SUBNET[host.ipFamily ?? 'IPv4'],
    }),
  };
}

function storedEtcd(spec: KarmadaSpec, host: HostFacts): { etcd?: Etcd } {
  const etcd = spec.components?.etcd;
  if (etcd?.external) return {};
  const local: LocalEtcd = {
    ...storedRepository(spec, ETCD_REPOSITORY),
    imageTag: DEFAULT_ETCD_TAG,
    imagePullPolicy: 'IfNotPresent',
    replicas: 1,
    ...(isEmptyVolume(etcd?.local?.volumeData) && { volumeData: defaultVolumeData(host) }),
  };
  return { etcd: { local } };
}

function storedRepository(spec: KarmadaSpec, official: string): CommonSettings {
  return spec.privateRegistry?.registry ? {} : { imageRepository: official };
}
