/** What a rotation does next. Exactly one step is executed at a time, on the facts that it was decided with. */
import type { RotationReason } from '../../api/reasons/rotation.ts';
import type { RotationAuthority } from './authority.ts';
import type { RotationRecord } from './record.ts';

/** What the Secrets of an authority contain. */
export interface Content {
  /** The root that signs. */
  readonly signer: string;
  /** Trusted roots, the signer first. */
  readonly bundle: readonly string[];
}

export type RotationWrite =
  /** Certificates and trust of one Secret. */
  | { readonly kind: 'secret'; readonly name: string; readonly content: Content }
  /** CA backup Secret: certify the new root by the former one, and store a leaf of the former one for the proof of its end. */
  | {
      readonly kind: 'prepareBackup';
      readonly name: string;
      readonly root: string;
      readonly by: string;
    }
  /** CA backup Secret: this root is the active one; the key of the other one stays. */
  | { readonly kind: 'activateInBackup'; readonly name: string; readonly root: string }
  /** CA backup Secret: no longer store the private key of this root. Its certificate stays. */
  | { readonly kind: 'forgetKey'; readonly name: string; readonly root: string }
  /** CA backup Secret: create a successor of the active root, which nothing trusts yet. */
  | { readonly kind: 'createSuccessor'; readonly name: string };

export type RotationStep =
  /**
   * Write the record, with the version of the CA backup Secret that the decision is based on as precondition. Two
   * operators, or a stale cache, thus never decide twice.
   */
  | { readonly kind: 'record'; readonly record: RotationRecord; readonly message: string }
  /** Write Secrets in this order. Each prefix leaves a state from which the next decision continues. */
  | {
      readonly kind: 'write';
      readonly authority: RotationAuthority;
      readonly writes: readonly RotationWrite[];
      readonly message: string;
    }
  /** Restart Pods in the order and with the gates of an upgrade. */
  | {
      readonly kind: 'restart';
      readonly authority: RotationAuthority;
      readonly pods: readonly string[];
      readonly message: string;
    }
  /** Take a root out of the shared ConfigMap. It is edited, because API servers do not create it again while they run. */
  | {
      readonly kind: 'editShared';
      readonly authority: RotationAuthority;
      readonly name: string;
      readonly without: string;
      readonly message: string;
    };

/** Why nothing is done. The reason is the phase if the rotation only takes its time. */
export interface RotationHold {
  readonly kind: 'hold';
  readonly reason: RotationReason;
  readonly message: string;
  /** Names of all parties that the rotation waits for. */
  readonly waitingFor: readonly string[];
  /** Wall clock in milliseconds before which only an event changes that. */
  readonly dueAt?: number;
}

export type RotationDecision = RotationStep | RotationHold | { readonly kind: 'nothing' };

/** Creates a hold without named parties. */
export const hold = (
  reason: RotationReason,
  message: string,
  more: Partial<Pick<RotationHold, 'waitingFor' | 'dueAt'>> = {},
): RotationHold => ({ kind: 'hold', reason, message, waitingFor: [], ...more });
