/** Writes for backups, their schedules and stores, and restores, as plain values. */
import type { Karmada } from '../api/karmada.ts';
import type { Secret } from '../kubernetes/objects/kinds.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import type { Pod } from '../kubernetes/objects/pod-kinds.ts';
import type { ObjectKey, ResourceType } from '../kubernetes/objects/resources.ts';

/** Create the KarmadaBackup of a schedule, unless it exists. */
interface CreateBackup {
  readonly kind: 'createBackup';
  readonly backup: KubernetesObject;
}

/** Delete a KarmadaBackup that its schedule does not keep. */
interface DeleteBackup {
  readonly kind: 'deleteBackup';
  readonly key: ObjectKey;
}

/** Change the status or the finalizers of an object of these kinds, in the version that the decision is based on. */
export interface PatchBackupObject {
  readonly kind: 'writeBackupStatus' | 'setBackupFinalizers';
  readonly type: ResourceType;
  readonly of: Pick<KubernetesObject, 'metadata'>;
  /** Merge patch, without the resourceVersion. */
  readonly patch: { readonly status?: object; readonly metadata?: object };
}

/** Configuration of a Pod. Another object with its name would be a foreign configuration. */
export interface JobConfiguration {
  readonly secret: Secret;
  /** UID of the KarmadaBackup or KarmadaRestore that it belongs to. */
  readonly uid: string;
}

/** Create a Pod, after its configuration exists. Without one, the Pod waits for it. */
export interface StartJob {
  readonly kind: 'startJob';
  readonly pod: Pod;
  readonly configuration?: JobConfiguration;
}

/** Create the configuration for which a Pod waits, unless it exists. */
interface ConfigureJob {
  readonly kind: 'configureJob';
  readonly secret: Secret;
}

/** Delete a Pod, unless it is terminating. */
interface EndJob {
  readonly kind: 'endJob';
  readonly pod: Pod;
}

/** Delete the configuration of a restore in a remote host cluster, which contains copies of credentials. */
interface DeleteJobConfiguration {
  readonly kind: 'deleteJobConfiguration';
  readonly key: ObjectKey;
  /** UID of the KarmadaRestore. */
  readonly uid: string;
}

/** Change annotations of a Karmada, after the configuration of the Pod that they start exists. `null` removes one. */
export interface AnnotateKarmada {
  readonly kind: 'annotateKarmada';
  readonly karmada: Pick<Karmada, 'metadata'>;
  readonly annotations: Readonly<Record<string, string | null>>;
  readonly configuration?: JobConfiguration;
}

/** Writes of the reconciles of backups. */
export type BackupAction =
  | CreateBackup
  | DeleteBackup
  | PatchBackupObject
  | StartJob
  | ConfigureJob
  | EndJob
  | DeleteJobConfiguration
  | AnnotateKarmada;
