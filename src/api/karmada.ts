/**
 * The stored custom resource `karmadas.operator.karmada.io/v1alpha1`. Its types are generated from the schema of the CRD. All fields of
 * the spec are optional, because a user may omit them; rendering uses `DefaultedSpec` in `defaults.ts`. Values of Kubernetes
 * types are raw JSON, not instances of the client classes.
 */
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import type { Components, KarmadaSpec, KarmadaStatus } from './karmada.generated.ts';

export type {
  ArchiveKeyReference,
  Components,
  Condition,
  CrdTarball,
  Etcd,
  EtcdClusterStatus,
  EtcdMemberState,
  ExternalEtcd,
  HostCluster,
  HttpSource,
  KarmadaAPIServer,
  KarmadaSpec,
  KarmadaStatus,
  LocalEtcd,
  Phase,
  PodSettings,
  SecretReference,
  UpgradeStatus,
  Versions,
  VolumeData,
} from './karmada.generated.ts';

export const GROUP = 'operator.karmada.io';
export const API_VERSION = `${GROUP}/v1alpha1`;
export const KIND = 'Karmada';
export const PLURAL = 'karmadas';

/** Field manager of the objects that the operator applies. */
export const FIELD_MANAGER = 'karmada-operator';
/** Field manager of the defaults that the operator stores in a Karmada. */
export const DEFAULTS_FIELD_MANAGER = 'karmada-operator-defaults';
export const FINALIZER = 'operator.karmada.io/finalizer';
/** Annotation for a permanently lost host cluster; the value is the UID of what is abandoned, see `isAbandoned`. */
export const ABANDON_HOST_ANNOTATION = 'operator.karmada.io/abandon-host';
/** Annotation that confirms a deletion with joined member clusters; the value is the UID of the Karmada. */
export const CONFIRM_DELETION_ANNOTATION = 'operator.karmada.io/confirm-deletion';
/** Label on a Karmada: any value except `false` keeps all objects in the host cluster on deletion. */
export const DISABLE_CASCADING_DELETION_LABEL = 'operator.karmada.io/disable-cascading-deletion';

export interface Karmada extends KubernetesObject {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: typeof KIND;
  readonly spec?: KarmadaSpec;
  readonly status?: KarmadaStatus;
}

export type ComponentKey = Exclude<keyof Components, 'etcd'>;
