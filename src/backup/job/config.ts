/** Configuration of the Pod of a backup. The operator writes it; it contains no credentials. */
import type { Manifest } from '../format/manifest-type.ts';
import { DIGEST, ETCD, KEY_ID, SIZE, TIME } from '../format/shape.ts';
import type { ObjectLock, ServerSideEncryption } from '../stores/new-object-headers.ts';
import { fields, isFlag, isText, optional, type Check } from '../../untrusted/checks.ts';
import { parseJsonWithin } from '../../untrusted/documents.ts';
import { UNTRUSTED } from '../../untrusted/limits.ts';

/** Store of a backup without its credentials. */
type StoreConfig =
  | {
      readonly s3: {
        readonly endpoint: string;
        readonly region: string;
        readonly bucket: string;
        readonly pathStyle: boolean;
        readonly hasCA: boolean;
        /** Present if the Pod exchanges the token of its ServiceAccount for credentials. */
        readonly podIdentity?: { readonly roleARN?: string };
        readonly sse?: ServerSideEncryption;
        readonly objectLock?: ObjectLock;
      };
    }
  /** A mounted PVC. */
  | 'volume';

export interface JobConfig extends Pick<Manifest, 'backup' | 'karmada' | 'operatorVersion'> {
  /** Whether an existing backup is verified, which another KarmadaBackup has taken. */
  readonly isExisting: boolean;
  /** Key prefix of the backup in the store. */
  readonly folder: string;
  readonly store: StoreConfig;
  /** Name of the key, or `None`. The manifest of a backup never chooses the key. */
  readonly encryption: { readonly keyID: string } | 'None';
  /** `status.manifestSHA256` of the KarmadaBackup; absent for a backup that no status describes. */
  readonly manifestSHA256?: string;
  /** SHA-256 fingerprint of the CA of the backup, if a user has confirmed that the control plane has another one. */
  readonly confirmedCA?: string;
  readonly etcd: {
    /** DNS names of members, in the order in which they are tried. */
    readonly hosts: readonly string[];
    readonly port: number;
  };
  /** Names of the Secrets to back up. */
  readonly secrets: readonly string[];
  /** Time for the whole backup, in milliseconds. */
  readonly deadlineMs: number;
}

/** The Pod may run in a cluster of others, and the result becomes a status and a command in a message. */
const isResult: Check<JobResult> = fields({
  error: optional(isText),
  backup: optional(
    fields({
      createdAt: TIME,
      etcd: ETCD,
      sizeBytes: SIZE,
      storedBytes: SIZE,
      manifestSHA256: optional(DIGEST),
      keyID: optional(KEY_ID),
      caSHA256: optional(DIGEST),
      lockedUntil: optional(TIME),
    }),
  ),
  isProven: optional(isFlag),
  manifestSHA256: optional(DIGEST),
});

/** Parses the termination message of a container. @returns undefined if it has no valid result */
export function jobResultIn(message: string | undefined): JobResult | undefined {
  try {
    const value = parseJsonWithin(message ?? '', { size: UNTRUSTED.record });
    return isResult(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Result of a container, as JSON in its termination message. Kubernetes keeps 4,096 bytes. */
export interface JobResult {
  readonly error?: string;
  /** Of the container that takes the backup, or reads an existing one. */
  readonly backup?: Pick<Manifest, 'createdAt' | 'etcd'> & {
    /** SHA-256 of the manifest in hexadecimal; absent from the program of an earlier version. */
    readonly manifestSHA256?: string;
    /** Name of the key; absent for a backup that is not encrypted. */
    readonly keyID?: string;
    /** SHA-256 fingerprint of the CA that issued the certificate of the API server. */
    readonly caSHA256?: string;
    readonly sizeBytes: number;
    readonly storedBytes: number;
    /** End of the retention of all objects; RFC 3339. */
    readonly lockedUntil?: string;
  };
  /** Of the container that compares the restored data. */
  readonly isProven?: boolean;
  /** SHA-256 of the manifest that it compared with. */
  readonly manifestSHA256?: string;
}
