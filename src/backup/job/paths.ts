/** Files of the Pod of a backup. */
import { join } from 'node:path';

/** Paths of the mounted volumes. */
export const PATHS = {
  /** Folder with `config.json` and `karmada.json`. */
  config: '/etc/karmada-backup/config',
  /** Folder with `accessKeyID`, `secretAccessKey` and, for temporary credentials, `sessionToken`. */
  credentials: '/etc/karmada-backup/credentials',
  /** Folder with the `token` of the ServiceAccount for the token service of the S3 server. */
  identity: '/etc/karmada-backup/identity',
  /** Folder with `ca.crt` of the S3 server. */
  storeCA: '/etc/karmada-backup/store-ca',
  /** Folder with one file for each encryption key, named by its ID. */
  keys: '/etc/karmada-backup/keys',
  /** Folder with the client certificate for etcd. */
  etcdClient: '/etc/karmada-backup/etcd-client',
  /** Folder with one folder for each Secret of the control plane. */
  secrets: '/etc/karmada-backup/secrets',
  /** Mounted PVC of a store in a volume. */
  volume: '/var/lib/karmada-backup/store',
  /** Folder for the proof. */
  proof: '/var/lib/karmada-backup/proof',
  /** Result of a container, for the status of the Pod. */
  result: '/dev/termination-log',
} as const;

/** Snapshot that the Pod of a restore loads, for `etcdutl`. */
export const SNAPSHOT_FILE = '/snapshot/etcd.db';

/** Snapshot for the proof, and data directory of the member that is started with it. */
export const PROOF_FILES = {
  snapshot: join(PATHS.proof, 'etcd.db'),
  data: join(PATHS.proof, 'data'),
} as const;
