/** Renders the Pod that probes a store, and the Secret with its configuration: pure. The Pod has no Kubernetes credentials. */
import {
  BACKUP_GROUP,
  karmadaBackupStores,
  type KarmadaBackupStore,
} from '../../../api/backup/kinds.ts';
import type { PodSettings } from '../../../api/karmada.ts';
import type { JobConfig } from '../../../backup/job/config.ts';
import { storeAccount, storeConfig, storeVolumes } from '../../../backup/store-access.ts';
import { ownerReferenceTo, type KubernetesObject } from '../../../kubernetes/objects/object.ts';
import type { Pod } from '../../../kubernetes/objects/pod-kinds.ts';
import { apiVersionOf } from '../../../kubernetes/objects/resources.ts';
import { identityOf } from '../pods/backup-pod.ts';
import { jobPod, stageContainer } from '../../../features/backups/job-pod.ts';

/** Annotation of the Pod: hash of what it probes. */
export const PROBE_ANNOTATION = `${BACKUP_GROUP}/probe`;

/** Label of the Pod: name of its KarmadaBackupStore. */
export const STORE_LABEL = `${BACKUP_GROUP}/store`;

/** Time for a probe. */
const DEADLINE_SECONDS = 180;
const LOCK_SECONDS = 120;

const probePodName = ({ metadata }: KarmadaBackupStore): string => `${metadata.name}-probe`;

/** Renders the Secret. @param pod owner of the Secret, which is deleted with it */
export function probeConfig(
  store: KarmadaBackupStore,
  pod: Pod,
  operatorVersion: string,
): KubernetesObject {
  const { namespace = '', uid = '' } = store.metadata;
  const { prefix } = store.spec.s3 ?? {};
  const config: JobConfig = {
    backup: identityOf(store),
    operatorVersion,
    ...probedStore(store),
    karmada: { namespace, name: '', uid: '' },
    folder: `${prefix === undefined ? '' : `${prefix}/`}probe-${uid}`,
    isExisting: true,
    etcd: { hosts: [], port: 2379 },
    secrets: [],
    deadlineMs: DEADLINE_SECONDS * 1_000,
  };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    immutable: true,
    metadata: { name: pod.metadata.name, namespace, ownerReferences: [ownerReferenceTo(pod)] },
    stringData: { 'config.json': JSON.stringify(config) },
  };
}

/** The object of a probe is locked only until the next one. */
function probedStore(store: KarmadaBackupStore): ReturnType<typeof storeConfig> {
  const config = storeConfig(store);
  if (config.store === 'volume' || config.store.s3.objectLock === undefined) return config;
  const { s3 } = config.store;
  const objectLock = { mode: config.store.s3.objectLock.mode, seconds: LOCK_SECONDS };
  return { ...config, store: { s3: { ...s3, objectLock } } };
}

export interface ProbeInput {
  readonly image: string;
  readonly imagePullSecrets: readonly object[];
  readonly podSettings: readonly PodSettings[];
  /** Hash of what is probed. */
  readonly hash: string;
}

/** Renders the Pod. */
export function probePod(
  store: KarmadaBackupStore,
  { image, imagePullSecrets, podSettings, hash }: ProbeInput,
): KubernetesObject {
  const { name: of, namespace = '', uid = '' } = store.metadata;
  const name = probePodName(store);
  const { kind } = karmadaBackupStores;
  const owner = { apiVersion: apiVersionOf(karmadaBackupStores), kind, name: of, uid };
  const metadata = {
    name,
    namespace,
    labels: { [STORE_LABEL]: of },
    annotations: { [PROBE_ANNOTATION]: hash },
    ownerReferences: [{ ...owner, controller: true }],
  };
  return jobPod(metadata, {
    ...storeAccount(store),
    activeDeadlineSeconds: DEADLINE_SECONDS,
    ...(imagePullSecrets.length > 0 && { imagePullSecrets }),
    podSettings,
    containers: [stageContainer(store, image, { name: 'probe', mounts: [] })],
    volumes: storeVolumes(store, name),
  });
}
