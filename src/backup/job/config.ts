/** Configuration of the Pod of a backup. The operator writes it; it contains no credentials. */
import type { Manifest } from '../format/manifest.ts';
import type { ObjectLock, ServerSideEncryption } from '../stores/new-object-headers.ts';
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
  /** ID of the key, or `None`. */
  readonly encryption: { readonly keyID: string } | 'None';
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

/** Parses the termination message of a container. @returns undefined if it has no result */
export function jobResultIn(message: string | undefined): JobResult | undefined {
  try {
    const value = parseJsonWithin(message ?? '', { size: UNTRUSTED.record });
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Result of a container, as JSON in its termination message. Kubernetes keeps 4,096 bytes. */
export interface JobResult {
  readonly error?: string;
  /** Of the container that takes the backup, or reads an existing one. */
  readonly backup?: Pick<Manifest, 'createdAt' | 'etcd'> & {
    readonly sizeBytes: number;
    readonly storedBytes: number;
    /** End of the retention of all objects; RFC 3339. */
    readonly lockedUntil?: string;
  };
  /** Of the container that compares the restored data. */
  readonly isProven?: boolean;
}
