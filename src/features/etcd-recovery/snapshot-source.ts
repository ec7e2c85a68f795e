/** Where the data of a recovery comes from, as parts of its Pod: pure. */
import { dirname } from 'node:path';
import { SNAPSHOT_FILE } from '../../backup/job/paths.ts';
import type { PodAccount } from '../../backup/store-access.ts';
import { dataDirectory, MOUNT_PATH } from '../../components/etcd/data-volume.ts';
import type { PodSpec } from '../../components/workload.ts';

type Container = PodSpec['containers'][number];

/** A container that runs before etcd; by default with the image and the resources of etcd. */
export interface Tool {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly resources?: Container['resources'];
  readonly volumeMounts?: Container['volumeMounts'];
  /** Fields of the security context that differ from those of etcd. */
  readonly securityContext?: object;
}

/** Where a snapshot comes from. */
export interface SnapshotSource {
  /** Writes the snapshot; absent if the file exists. */
  readonly container?: Tool;
  /** Path of the snapshot or database in the container that restores it. */
  readonly file: string;
  /** Whether the file ends with its hash, as `etcdctl snapshot save` writes it. */
  readonly hasHash: boolean;
  /** Additional mounts of the container that restores the file. */
  readonly mounts: NonNullable<Tool['volumeMounts']>;
  readonly volumes: NonNullable<PodSpec['volumes']>;
  /** GIDs that the Pod needs in addition to those of etcd. */
  readonly groups?: readonly number[];
  /** ServiceAccount with access to the store; that of etcd if absent. */
  readonly account?: PodAccount;
  /** Node where the volumes are mounted; absent if any will do. */
  readonly node?: string;
}

export const SNAPSHOT_DIRECTORY = dirname(SNAPSHOT_FILE);
const CLIENT_DIRECTORY = '/etc/karmada/pki/etcd-client';
const CLIENT_FILES = ['etcd-ca.crt', 'etcd-client.crt', 'etcd-client.key'] as const;

/** Saves a snapshot of a running member. It sends its data without a quorum. @param url client URL of the member */
export function memberSnapshot(url: string, secretName: string): SnapshotSource {
  const [ca, certificate, key] = CLIENT_FILES.map((file) => `${CLIENT_DIRECTORY}/${file}`);
  const items = CLIENT_FILES.map((file) => ({ key: file, path: file }));
  const access = [`--endpoints=${url}`, `--cacert=${ca}`, `--cert=${certificate}`, `--key=${key}`];
  return {
    container: {
      name: 'save-snapshot',
      command: ['/usr/local/bin/etcdctl', ...access, 'snapshot', 'save', SNAPSHOT_FILE],
      volumeMounts: [{ name: 'etcd-client', mountPath: CLIENT_DIRECTORY, readOnly: true }],
    },
    file: SNAPSHOT_FILE,
    hasHash: true,
    mounts: [],
    volumes: [{ name: 'etcd-client', secret: { secretName, defaultMode: 0o440, items } }],
  };
}

/** Mount path of the volume of the former member. */
const FORMER_PATH = '/former';

/**
 * Reads the database of a member that does not respond, from its volume. Without a quorum etcd does not change it.
 * @param volume name of the PVC template of the member
 * @param claim name of its PVC
 * @param node node of its Pod, which has attached the volume
 */
export function memberVolume(volume: string, claim: string, node?: string): SnapshotSource {
  const folder = `${FORMER_PATH}${dataDirectory(volume).slice(MOUNT_PATH.length)}`;
  return {
    file: `${folder}/member/snap/db`,
    hasHash: false,
    mounts: [{ name: 'former', mountPath: FORMER_PATH, readOnly: true }],
    volumes: [{ name: 'former', persistentVolumeClaim: { claimName: claim } }],
    ...(node !== undefined && { node }),
  };
}
