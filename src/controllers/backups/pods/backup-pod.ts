/**
 * Renders the Pod of a backup, and the Secret with its configuration: pure. The containers run one after the other: take the
 * backup, fetch it, restore it with `etcdutl`, start etcd with it, compare. The Pod has no Kubernetes credentials.
 */
import { basename } from 'node:path';
import type { Karmada } from '../../../api/karmada.ts';
import { instanceName, SECRET_SUFFIX } from '../../../api/naming.ts';
import type { KarmadaBackup, KarmadaBackupStore } from '../../../api/backup/kinds.ts';
import type { JobConfig } from '../../../backup/job/config.ts';
import { JOB_FILES, PATHS, PROOF_FILES } from '../../../backup/job/paths.ts';
import {
  secretMount,
  secretVolume,
  storeAccount,
  storeConfig,
  storeVolumes,
} from '../../../backup/store-access.ts';
import { recordedAccess } from '../../../features/backups/backup-origin.ts';
import type { CopiedAccess } from './copied-access.ts';
import { ownerReferenceTo, type KubernetesObject } from '../../../kubernetes/objects/object.ts';
import type { Pod } from '../../../kubernetes/objects/pod-kinds.ts';
import type { PodSpec } from '../../../components/workload.ts';
import {
  deadlineOf,
  jobContainer,
  jobMetadata,
  jobPod,
  stageContainer,
  type Container,
  type Mount,
} from '../../../features/backups/job-pod.ts';

interface SavedSecret {
  readonly suffix: string;
  /** All keys if absent. */
  readonly keys?: readonly string[];
}

/**
 * What a backup saves. The CAs suffice to issue all certificates again, so it needs the key of none of them, least of all that of the
 * operator, which has all permissions.
 */
const SAVED: readonly SavedSecret[] = [
  { suffix: SECRET_SUFFIX.caBackup },
  { suffix: SECRET_SUFFIX.cert, keys: ['ca.crt', 'apiserver.crt'] },
  { suffix: SECRET_SUFFIX.serviceAccountKey },
];

/** Pair with which the Pod reads from etcd, and the CA of etcd. */
const ETCD_CLIENT = [JOB_FILES.etcdCA, JOB_FILES.etcdCertificate, JOB_FILES.etcdKey].map((path) =>
  basename(path),
);

export interface BackupPodInput {
  readonly backup: KarmadaBackup;
  readonly store: KarmadaBackupStore;
  readonly karmada: Karmada;
  readonly etcd: {
    readonly image: string;
    /** DNS names of the members. */
    readonly hosts: readonly string[];
  };
  /** Image of the operator. */
  readonly image: string;
  readonly operatorVersion: string;
  /** Copies for the Pod in a remote host cluster; absent in the cluster of the KarmadaBackup. */
  readonly copied?: CopiedAccess;
}

export const backupPodName = ({ metadata }: KarmadaBackup): string => `${metadata.name}-backup`;

/** Key prefix of a backup in its store. That of a new one contains the UID, so no other backup has it. */
export function backupFolder(backup: KarmadaBackup, store: KarmadaBackupStore): string {
  if (backup.spec.folder !== undefined) return backup.spec.folder;
  const { namespace = '', uid = '', creationTimestamp = '' } = backup.metadata;
  const prefix = store.spec.s3?.prefix ?? store.spec.volume?.prefix;
  const time = creationTimestamp.replaceAll(/[-:]/g, '');
  const parts = [prefix, namespace, backup.spec.karmadaRef.name, `${time}-${uid}`];
  return parts.filter((part) => part !== undefined && part !== '').join('/');
}

/** Names of the Secrets that a backup saves. @param name of the Karmada */
export const secretNames = (name: string): readonly string[] =>
  SAVED.map(({ suffix }) => instanceName(name, suffix));

function configOf(input: BackupPodInput): JobConfig {
  const { backup, store, karmada, etcd, operatorVersion } = input;
  return {
    backup: identityOf(backup),
    karmada: identityOf(karmada),
    operatorVersion,
    folder: backupFolder(backup, store),
    isExisting: backup.spec.folder !== undefined,
    ...storeConfig(store),
    ...recordedAccess({}, store, backup.spec.keyID),
    etcd: { hosts: etcd.hosts, port: 2379 },
    secrets: secretNames(karmada.metadata.name),
    deadlineMs: deadlineOf(backup) * 1000,
  };
}

/** Identity of an object in a manifest. */
export const identityOf = ({
  metadata: { name, namespace = '', uid = '' },
}: Pick<KubernetesObject, 'metadata'>): JobConfig['backup'] => ({ namespace, name, uid });

const metadataOf = ({ backup, copied }: BackupPodInput): KubernetesObject['metadata'] =>
  jobMetadata(backup, backupPodName(backup), copied !== undefined);

/**
 * Renders the Secret with the configuration and the Karmada object. It contains credentials only as copies.
 * @param pod owner of the Secret in a remote host cluster
 */
export function backupConfig(input: BackupPodInput, pod?: Pod): KubernetesObject {
  const { karmada, copied } = input;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    immutable: true,
    metadata: { ...metadataOf(input), ...(pod && { ownerReferences: [ownerReferenceTo(pod)] }) },
    ...(copied && { data: copied }),
    stringData: {
      'config.json': JSON.stringify(configOf(input)),
      'karmada.json': JSON.stringify(karmada),
    },
  };
}

const PROOF: Mount = { name: 'proof', mountPath: PATHS.proof };

/** Renders the Pod. */
export function backupPod(input: BackupPodInput): KubernetesObject {
  const { backup, karmada, store, image } = input;
  const stage = (name: string, mounts: readonly Mount[]): Container =>
    stageContainer(store, image, { name, mounts });
  const take = stage('take', controlPlaneMounts(karmada.metadata.name));
  const { imagePullSecrets, podSettings } = karmada.spec ?? {};
  return jobPod(metadataOf(input), {
    ...storeAccount(store),
    activeDeadlineSeconds: deadlineOf(backup),
    ...(imagePullSecrets !== undefined && { imagePullSecrets }),
    ...(podSettings && { podSettings }),
    initContainers: [
      ...(backup.spec.folder === undefined ? [take] : []),
      stage('fetch', [PROOF]),
      ...proof(input.etcd.image),
    ],
    containers: [stage('compare', [])],
    volumes: volumesOf(input),
  });
}

const PEER = 'http://127.0.0.1:2380';
const CLIENT = 'http://127.0.0.1:2379';

/** Restores the snapshot, which verifies its checksum, and starts etcd with it. Only this Pod reaches it. */
const proof = (image: string): readonly Container[] => [
  {
    ...jobContainer('restore', image, [PROOF]),
    command: [
      '/usr/local/bin/etcdutl',
      'snapshot',
      'restore',
      PROOF_FILES.snapshot,
      `--data-dir=${PROOF_FILES.data}`,
      '--name=proof',
      `--initial-cluster=proof=${PEER}`,
      `--initial-advertise-peer-urls=${PEER}`,
    ],
  },
  {
    ...jobContainer('etcd', image, [PROOF]),
    // A sidecar: it ends after the last container.
    restartPolicy: 'Always',
    command: [
      '/usr/local/bin/etcd',
      '--name=proof',
      `--data-dir=${PROOF_FILES.data}`,
      `--listen-client-urls=${CLIENT}`,
      `--advertise-client-urls=${CLIENT}`,
      `--listen-peer-urls=${PEER}`,
      `--initial-advertise-peer-urls=${PEER}`,
      `--initial-cluster=proof=${PEER}`,
      '--unsafe-no-fsync',
      '--log-level=warn',
    ],
  },
];

const controlPlaneMounts = (name: string): readonly Mount[] => [
  secretMount('secret-etcd-client', PATHS.etcdClient),
  ...secretNames(name).map((secret, index) =>
    secretMount(`secret-saved-${String(index)}`, `${PATHS.secrets}/${secret}`),
  ),
];

function volumesOf(input: BackupPodInput): NonNullable<PodSpec['volumes']> {
  const { backup, store, karmada, copied } = input;
  const { name } = karmada.metadata;
  const keys = copied && Object.keys(copied);
  const volumes = storeVolumes(store, backupPodName(backup), keys);
  const common = [...volumes, { name: 'proof', emptyDir: {} }];
  if (backup.spec.folder !== undefined) return common;
  return [
    ...common,
    secretVolume('secret-etcd-client', instanceName(name, SECRET_SUFFIX.etcdCert), ETCD_CLIENT),
    ...SAVED.map(({ suffix, keys: saved }, index) =>
      secretVolume(`secret-saved-${String(index)}`, instanceName(name, suffix), saved),
    ),
  ];
}
