/** Writes to a Karmada, and those of the deletion of its control plane, as plain values. */
import type { Karmada, KarmadaStatus } from '../api/karmada.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';

/** Add the labels of the Karmada to an object that the Go operator created. */
export interface AdoptObject {
  readonly kind: 'adoptObject';
  /** The object as it was read when its content was recognized. */
  readonly object: KubernetesObject;
  readonly labels: Readonly<Record<string, string>>;
  /** The object is next to the Karmada, and not on its remote host cluster. */
  readonly isCopy?: true;
}

/** Write the status of a Karmada, and record its transitions as Events. */
export interface WriteStatus {
  readonly kind: 'writeStatus';
  readonly karmada: Karmada;
  readonly status: KarmadaStatus;
}

/** Store the defaults, the finalizer and the label of a Karmada. */
export interface StoreDefaults {
  readonly kind: 'storeDefaults';
  /** Fields of the operator, with the UID and the resourceVersion that were read. */
  readonly intent: KubernetesObject;
}

/** Delete an object of a control plane whose Karmada is deleted. */
interface DeleteObject {
  readonly kind: 'deleteObject';
  readonly object: KubernetesObject;
}

/** Delete a Pod of such a control plane with a shorter grace period. */
interface ShortenGracePeriod {
  readonly kind: 'shortenGracePeriod';
  readonly pod: KubernetesObject;
}

/** Delete the administrator kubeconfig next to a Karmada of a remote host cluster. */
interface DeleteKubeconfigCopy {
  readonly kind: 'deleteKubeconfigCopy';
  readonly karmada: Karmada;
}

/** Remove the access of estimators to the member clusters of a control plane that is deleted. */
export interface RevokeMemberAccess {
  readonly kind: 'revokeMemberAccess';
  readonly karmada: Karmada;
}

/** Let the API server delete a Karmada. */
interface RemoveFinalizer {
  readonly kind: 'removeFinalizer';
  readonly karmada: Karmada;
}

/** Writes to a Karmada, and those of its deletion. */
export type KarmadaAction =
  | WriteStatus
  | StoreDefaults
  | AdoptObject
  | DeleteObject
  | ShortenGracePeriod
  | DeleteKubeconfigCopy
  | RevokeMemberAccess
  | RemoveFinalizer;
