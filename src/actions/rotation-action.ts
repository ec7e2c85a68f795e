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
  /** Whether no rotation of keys is under way after it. */
  readonly isLast: boolean;
}

/** Create the ServiceAccount for whose tokens a rotation asks each API server. */
interface CreateTokenAccount {
  readonly kind: 'createTokenAccount';
}

export type RotationAction = RecordRotation | CreateTokenAccount;
