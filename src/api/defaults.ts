/**
 * Defaults of a Karmada. They are computed here for rendering (`defaultSpec`) and, as upstream does
 * it, written into the object (`defaultsPatch`), so that a later operator with newer defaults
 * changes nothing that exists. The values are upstream's, but for the versions and etcd's storage.
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
} from './karmada.ts';
import type { CommonSettings } from './settings.ts';
import { addonsOf, type ON_BY_DEFAULT, type ON_REQUEST, type SwitchedOff } from './addon.ts';
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
} from './images.ts';

export const DEFAULT_DNS_DOMAIN = 'cluster.local';
const DEFAULT_SERVICE_SUBNET = '10.96.0.0/12';
const DEFAULT_PRIORITY_CLASS = 'system-node-critical';
/**
 * Size of etcd's claim: its database is limited to 2 GiB, a defragmentation needs as much again,
 * and the log and its snapshots come on top.
 */
const DEFAULT_ETCD_STORAGE = '8Gi';

/** Components that an instance always has, beside etcd. */
const ALWAYS_INSTALLED = [
  'karmadaAPIServer',
  'karmadaAggregatedAPIServer',
  'kubeControllerManager',
  'karmadaControllerManager',
  'karmadaScheduler',
  'karmadaWebhook',
] as const satisfies readonly ComponentKey[];

/** What the defaults depend on besides the spec. */
export interface HostFacts {
  /** Whether the host cluster has a default StorageClass. */
  readonly defaultStorageClass: boolean;
}

type Filled = 'imageRepository' | 'imageTag' | 'imagePullPolicy' | 'replicas' | 'priorityClassName';
type WithDefaults<T extends CommonSettings, Key extends keyof T = never> = T & {
  readonly [K in Filled | Key]-?: NonNullable<T[K]>;
};

/** Settings common to all components, as rendering sees them. */
export type DefaultedSettings = WithDefaults<CommonSettings>;
export type DefaultedLocalEtcd = WithDefaults<LocalEtcd, 'volumeData'>;
type DefaultedEtcd =
  | { readonly local: DefaultedLocalEtcd; readonly external?: undefined }
  | { readonly external: ExternalEtcd; readonly local?: undefined };
type DefaultedAPIServer = WithDefaults<KarmadaAPIServer, 'serviceSubnet' | 'serviceType'>;

type Always = (typeof ALWAYS_INSTALLED)[number];
type OnByDefault = (typeof ON_BY_DEFAULT)[number];
type OnRequest = (typeof ON_REQUEST)[number];

export type DefaultedComponents = {
  readonly [K in Exclude<Always, 'karmadaAPIServer'>]: WithDefaults<NonNullable<Components[K]>>;
} & {
  readonly [K in OnByDefault]: WithDefaults<NonNullable<Components[K]>> | SwitchedOff;
} & {
  readonly [K in OnRequest]?: WithDefaults<NonNullable<Components[K]>> | SwitchedOff;
} & { readonly karmadaAPIServer: DefaultedAPIServer; readonly etcd: DefaultedEtcd };

/** A spec in which everything that rendering needs is there. */
export interface DefaultedSpec extends Omit<KarmadaSpec, 'hostCluster' | 'components'> {
  readonly hostCluster: HostCluster & { readonly networking: { readonly dnsDomain: string } };
  readonly components: DefaultedComponents;
}

/**
 * The spec with all defaults filled in. Idempotent; user values stay, an empty string counts as
 * unset. For a spec that `validate` accepts; of a local and an external etcd together (refused
 * there) only the external one is kept.
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
 * Defaults that the operator writes into the Karmada, as if the user had given nothing. Which
 * components there are, and their versions, follow what the user gave.
 */
export function storedDefaults(spec: KarmadaSpec, host: HostFacts): KarmadaSpec {
  const blocks = installedComponents(spec).map((key) => [key, storedSettings(spec, key)] as const);
  return {
    hostCluster: { networking: { dnsDomain: DEFAULT_DNS_DOMAIN } },
    components: { ...Object.fromEntries(blocks), ...storedEtcd(spec, host) },
  };
}

/**
 * Defaults that are never written by the operator: those of the CRD, which the API server fills in
 * by itself, and repositories that follow `privateRegistry`, so that they follow a change of it.
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

/** Keys of the components this spec asks for, etcd apart. */
export function installedComponents(spec: KarmadaSpec): readonly ComponentKey[] {
  return [...ALWAYS_INSTALLED, ...addonsOf(spec)];
}

/** Whether a volume names none of the kinds it could be of. */
function isEmptyVolume(volume: VolumeData | undefined): boolean {
  return !volume?.volumeClaim && !volume?.hostPath && !volume?.emptyDir;
}

/** Default etcd storage: a claim if the host can fill it, else ephemeral. */
function defaultVolumeData(host: HostFacts): VolumeData {
  if (!host.defaultStorageClass) return { emptyDir: {} };
  const requests = { storage: DEFAULT_ETCD_STORAGE };
  return { volumeClaim: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests } } } };
}

function storedSettings(spec: KarmadaSpec, key: ComponentKey): KarmadaAPIServer {
  const kubernetes = (KUBERNETES_COMPONENTS as readonly ComponentKey[]).includes(key);
  return {
    ...storedRepository(spec, REPOSITORY[key]),
    imageTag: kubernetes
      ? defaultTag(spec.components, KUBERNETES_COMPONENTS, kubernetesTagFor(spec.version))
      : spec.version || defaultTag(spec.components, KARMADA_COMPONENTS, DEFAULT_KARMADA_TAG),
    imagePullPolicy: 'IfNotPresent',
    replicas: key === 'karmadaMetricsAdapter' ? 2 : 1,
    ...(key === 'karmadaAPIServer' && { serviceSubnet: DEFAULT_SERVICE_SUBNET }),
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
