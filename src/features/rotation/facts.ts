/**
 * Facts that decide about a rotation, as plain values. CAs and keys are SHA-256 fingerprints. Times are wall clock in
 * milliseconds, but those of observations are of the monotonic clock: the wall clock follows API servers, and may jump. What
 * could not be read is absent, and absent is never a proof.
 */
import type { Consumer } from '../../pki/specs.ts';
import type { RotationAuthority } from './authority.ts';
import type { RecordFault } from './parse-record.ts';
import type { RotationRecord } from './record.ts';
import type { RotationRequests } from './requests.ts';

/** A CA, or a key pair of ServiceAccount tokens. */
export interface RootFacts {
  readonly sha256: string;
  /** Validity period; without an end for a key. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/** Certificates of one Secret that belong to one authority. */
interface SecretFacts {
  readonly name: string;
  /** What signed its certificates. Different signers of one Secret are an absent one, so that it is written again. */
  readonly signer?: string;
  /** What it trusts; absent if it has only certificates. */
  readonly bundle?: readonly string[];
  readonly isPaused?: true;
}

/** The CA backup Secret, as far as it is about one authority. */
interface BackupFacts {
  readonly name: string;
  readonly active: string;
  /** Roots whose private key it has. */
  readonly keys: readonly string[];
  /** The successor with its private key. */
  readonly successor?: RootFacts;
  /** New CAs that are certified by the former ones: agents that know only a former CA verify later ones. */
  readonly crossSigned: readonly { readonly root: string; readonly by: string }[];
  /** Roots with a stored leaf that asks servers whether they accept it. It outlives the private key. */
  readonly probes: readonly string[];
  readonly isPaused?: true;
}

/**
 * Question to a Pod that shows whether it accepts a root: a call with a leaf of this root. Through a Service only one Pod
 * would answer.
 */
export type Question =
  /** POST of a SelfSubjectReview; accepted, the server returns the name of the leaf. */
  | 'selfSubjectReview'
  /** A call without permissions; accepted, the server knows the name and forbids the call. */
  | 'forbiddenCall'
  /** Status of etcd. A finished handshake of TLS 1.3 proves nothing. */
  | 'etcdStatus'
  /** HTTP/2 settings, which a server sends after the handshake. */
  | 'http2Settings'
  /** The public keys that the server publishes contain the key; a token of another key is rejected. */
  | 'publicKeys';

export type Answer =
  /** An HTTP status. `isNamed`: the response has the name of the leaf. */
  | { readonly kind: 'status'; readonly status: number; readonly isNamed?: true }
  /** What was asked for, without HTTP. */
  | { readonly kind: 'answered' }
  /** The server closed the connection after it had seen the leaf. */
  | { readonly kind: 'closed' }
  /** No answer; the cause as a clause, without parts that differ from call to call. */
  | { readonly kind: 'unreachable'; readonly cause?: string };

interface ProbeFacts {
  readonly root: string;
  readonly answer: Answer;
  /** Monotonic. */
  readonly observedAt: number;
}

/** What a Pod presents at an endpoint. */
interface PresentedFacts {
  readonly endpoint: string;
  /** What signed it; empty if that is unknown. */
  readonly root: string;
  /** Why it presented nothing: a clause. */
  readonly cause?: string;
  /** Monotonic. */
  readonly observedAt: number;
}

export interface PodFacts {
  readonly name: string;
  readonly component: Consumer;
  /** Start of its first container; absent while it does not run. */
  readonly startedAt?: number;
  /** Start of its last container, if that is another time: one of a sidecar tells nothing about the others. */
  readonly lastStartedAt?: number;
  readonly isTerminating?: true;
  readonly isPaused?: true;
  /** Answers to the question of its component. */
  readonly probes: readonly ProbeFacts[];
  readonly presented: readonly PresentedFacts[];
  /** Roots of the bundle that it mounts, if the Secret is immutable and named by its content. */
  readonly mounts?: readonly string[];
}

/** An object that names roots. */
interface ObjectFacts {
  readonly name: string;
  /**
   * - bundle: what its readers trust, such as the caBundle of a webhook
   * - shared: the ConfigMap `extension-apiserver-authentication`, to which each API server adds its CAs when it starts
   * - stamp: the CA to which the data of a PVC belongs
   */
  readonly kind: 'bundle' | 'shared' | 'stamp';
  readonly roots: readonly string[];
  /** Monotonic. */
  readonly observedAt: number;
  /** Last change of a shared object. */
  readonly changedAt?: number;
}

/** The Secret with the CA of the user. */
export interface CustomFacts {
  /** `namespace/name`; absent if the spec references none */
  readonly secret?: string;
  /** Why the active CA cannot be replaced by one of the Secret: a clause. */
  readonly fault?: string;
  /** The CA that it offers in place of the active one. */
  readonly offer?: RootFacts;
  /** Roots whose private key it has. */
  readonly keys: readonly string[];
}

/** Everything about one authority. All of it is read in the reconcile that writes. */
export interface AuthorityFacts {
  readonly authority: RotationAuthority;
  /** What signs now, in the Secret that components mount. */
  readonly active: RootFacts;
  /** Why clients that have only a copy of it would not accept certificates of its successor. */
  readonly successorFault?: string;
  /** Only for a custom CA. */
  readonly custom?: CustomFacts;
  /** In the order in which certificates are changed: first the one with the active CA. */
  readonly secrets: readonly SecretFacts[];
  readonly backup: BackupFacts;
  /** Roots whose certificate or public key a Secret has. */
  readonly known?: readonly string[];
  /** Roots that every version of the Secrets has contained. */
  readonly sinceCreation: readonly string[];
  readonly pods: {
    /** Monotonic. */
    readonly listedAt: number;
    readonly items: readonly PodFacts[];
    /** Number of Pods of each installed component. */
    readonly expected: ReadonlyMap<Consumer, number>;
  };
  readonly objects: readonly ObjectFacts[];
  /** What signed the answer to a certificate signing request of the operator. */
  readonly signedRequest?: Pick<PresentedFacts, 'root' | 'observedAt'>;
  /** Member clusters in pull mode. Nothing shows which CA has signed the certificates of their agents. */
  readonly agents?: readonly string[];
}

/** What forbids or delays rotations, in the words of a message: object or field, cause. */
export interface Obstacles {
  /** What this version does not rotate, with the cause. A rotation under way continues. */
  readonly unsupported?: ReadonlyMap<RotationAuthority, string>;
  readonly isSuspended?: true;
  /** The host cluster is not observed: no proof, no change. */
  readonly unobserved?: string;
  /** Another change of the control plane is under way. */
  readonly otherChange?: string;
  /** The control plane is not ready. */
  readonly notReady?: string;
}

export interface RotationPolicy {
  /** Whether CAs are rotated by themselves after two thirds of their validity period. */
  readonly authorities: 'Automatic' | 'OnRequest';
  /** Time for which certificates of the former root remain valid after the switch, in milliseconds. */
  readonly overlapMs: Readonly<Record<RotationAuthority, number>>;
  /** Time for which each API server publishes a new key before it signs: verifiers cache the keys. In milliseconds. */
  readonly keysMs: number;
  /** Whether a user confirms the end of the overlap. */
  readonly completion: Readonly<Record<RotationAuthority, 'Automatic' | 'Confirm'>>;
}

export interface RotationFacts {
  readonly now: number;
  /** Monotonic clock, for the age of observations. */
  readonly monotonic: number;
  readonly record: RotationRecord | RecordFault;
  readonly requests: RotationRequests;
  readonly policy: RotationPolicy;
  readonly obstacles: Obstacles;
  /** One row for each authority that the control plane has and that could be read. */
  readonly authorities: readonly AuthorityFacts[];
}
