/** Actions of rotations of CAs and keys, besides those that write certificates. */
import type { KubernetesObject } from '../kubernetes/object.ts';

/** Write the record of the rotations of CAs and keys. */
interface RecordRotation {
  readonly kind: 'recordRotation';
  /** The CA backup Secret that was read live. */
  readonly backup: KubernetesObject;
  /** Value of the annotation. */
  readonly value: string;
  /** What the record changes, for the log. */
  readonly message: string;
  /** Whether it ends the rotation of keys. */
  readonly isLast: boolean;
}

/** Create the ServiceAccount for whose tokens a rotation asks each API server. */
interface CreateTokenAccount {
  readonly kind: 'createTokenAccount';
}

/** Take a former CA out of the ConfigMap with which API servers publish the CAs of clients. */
interface EditSharedTrust {
  readonly kind: 'editSharedTrust';
  /** The ConfigMap that was read live. */
  readonly configMap: KubernetesObject;
  /** Changed values of the ConfigMap. */
  readonly data: Readonly<Record<string, string>>;
  /** What the edit changes, for the log. */
  readonly message: string;
}

export type RotationAction = RecordRotation | CreateTokenAccount | EditSharedTrust;
