/** Files of the Pod of a backup. No content of a store becomes a part of a path: only this module creates paths. */
import { join } from 'node:path';
import type { KeyID } from '../format/key.ts';

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

declare const fixed: unique symbol;

/** Path of a file that a stage may open. */
export type JobPath = string & { readonly [fixed]: 'JobPath' };

const pathOf = (...parts: readonly string[]): JobPath => join(...parts) as JobPath;

/** Snapshot that the Pod of a restore loads, for `etcdutl`. */
export const SNAPSHOT_FILE = pathOf('/snapshot/etcd.db');

/** Snapshot for the proof, and data directory of the member that is started with it. */
export const PROOF_FILES = {
  snapshot: pathOf(PATHS.proof, 'etcd.db'),
  data: pathOf(PATHS.proof, 'data'),
} as const;

/** Files with a fixed name. */
export const JOB_FILES = {
  config: pathOf(PATHS.config, 'config.json'),
  karmada: pathOf(PATHS.config, 'karmada.json'),
  accessKeyID: pathOf(PATHS.credentials, 'accessKeyID'),
  secretAccessKey: pathOf(PATHS.credentials, 'secretAccessKey'),
  sessionToken: pathOf(PATHS.credentials, 'sessionToken'),
  token: pathOf(PATHS.identity, 'token'),
  storeCA: pathOf(PATHS.storeCA, 'ca.crt'),
  etcdCA: pathOf(PATHS.etcdClient, 'etcd-ca.crt'),
  etcdCertificate: pathOf(PATHS.etcdClient, 'etcd-client.crt'),
  etcdKey: pathOf(PATHS.etcdClient, 'etcd-client.key'),
} as const;

/** File of an encryption key. */
export const keyFile = (id: KeyID): JobPath => pathOf(PATHS.keys, id);

/** File with the CAs of the control plane. @param secret name of its Secret, from the configuration of the operator */
export const authorityFile = (secret: string): JobPath => pathOf(PATHS.secrets, secret, 'ca.crt');
