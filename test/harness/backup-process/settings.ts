import type { S3Credentials } from '../../../src/backup/stores/credentials.ts';
import type { S3Settings } from '../../../src/backup/stores/s3-client.ts';

/** Input of the process. */
export interface BackupProcessSettings {
  readonly s3: Omit<S3Settings, 'credentials'>;
  readonly credentials: S3Credentials;
  /** Key prefix of the backup. */
  readonly folder: string;
  /** 64 hexadecimal digits. */
  readonly key: string;
  /** Size of the snapshot of a stub, or a member of a real etcd. */
  readonly source:
    | { readonly bytes: number }
    | {
        readonly port: number;
        readonly serverName: string;
        /** PEM. */
        readonly ca: string;
        readonly certificate: string;
        readonly key: string;
      };
}

/** Output of the process. */
export interface BackupProcessResult {
  readonly seconds: number;
  readonly processorSeconds: number;
  /** Resident memory before the backup. */
  readonly bytesAtStart: number;
  /** Highest resident memory. */
  readonly peakBytes: number;
}
