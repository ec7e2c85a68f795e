/**
 * Reads existing etcd objects for the bootstrap decision. Reads live and without label selectors, because caches
 * contain only labeled objects.
 */
import type { Karmada } from '../../api/karmada.ts';
import { instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import { DATA_VOLUME } from '../../components/etcd/data-volume.ts';
import { errorText, isStatus } from '../../kubernetes/client/errors.ts';
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  StatefulSet,
} from '../../kubernetes/objects/kinds.ts';
import { isTerminating, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { resources, type ResourceType } from '../../kubernetes/objects/resources.ts';
import type { Host } from '../../host-clusters/host.ts';
import type { EtcdData } from '../../instance/etcd-bootstrap.ts';
import { findOwn } from '../../instance/own-objects.ts';
import { onlyThose } from '../../kubernetes/informers/reduced-list.ts';
import {
  claimOrdinal,
  claimsInUse,
  claimVolume,
  etcdClaimsOf,
  podOrdinal,
} from '../../etcd-cluster/storage/persistent-volume-claims.ts';
import { neverRan } from '../../etcd-cluster/pods/etcd-pods.ts';
import { isUnbound } from '../etcd-storage/plan-storage.ts';
import { membersIn } from '../../etcd-cluster/pods/membership.ts';
import type { EtcdEvidence, PodEvidence } from '../../etcd-cluster/identity/decide-bootstrap.ts';
import type { ClaimEvidence } from '../../etcd-cluster/identity/foreign-claims.ts';
import {
  recordIn,
  claimAnnotationIn,
  START_EMPTY_ANNOTATION,
  type EtcdRecord,
  type Noted,
} from '../../etcd-cluster/identity/record.ts';

/** Client of the host cluster, and what the operator may not read there. */
interface EvidenceReader {
  readonly client: Pick<Host['client'], 'find' | 'list'>;
  readonly rights: Pick<Host['rights'], 'lacks'>;
}

/** Result of the reads. */
export interface EvidenceRead extends EtcdData {
  readonly statefulSet: StatefulSet | undefined;
}

/**
 * Reads all existing etcd objects of a control plane.
 * @param authorities SHA-256 of the etcd CA certificates
 * @param newBackup CA backup Secret of this reconcile, see `Known`
 * @returns evidence with `unread` if a read failed; never throws
 */
export async function readEvidence(
  host: EvidenceReader,
  karmada: Karmada,
  authorities: readonly string[],
  newBackup?: KubernetesObject,
): Promise<EvidenceRead> {
  const { name, uid = '', annotations = {} } = karmada.metadata;
  const startEmpty = annotations[START_EMPTY_ANNOTATION];
  const known = {
    karmada: { name, uid },
    authorities,
    wasReady: karmada.status?.secretRef?.name !== undefined,
    ...(startEmpty !== undefined && { startEmpty }),
  };
  try {
    const created = newBackup && { backup: newBackup, statefulSet: undefined, claims: [] };
    return await readAll(host, karmada, known, created ?? readRecorded(host, karmada));
  } catch (error) {
    const nothing = { claims: [], pods: [], volumes: [], record: undefined };
    const evidence = { ...known, ...nothing, unread: errorText(error) };
    return { evidence, backup: undefined, statefulSet: undefined };
  }
}

/** Objects that tell whether the etcd was created. */
interface Recorded extends Pick<EvidenceRead, 'backup' | 'statefulSet'> {
  readonly claims: readonly PersistentVolumeClaim[];
}

async function readRecorded(
  { client }: EvidenceReader,
  { metadata: { name, namespace = '' } }: Karmada,
): Promise<Recorded> {
  const find = (type: ResourceType, suffix: string): Promise<KubernetesObject | undefined> =>
    findOwn(client, type, { namespace, name: instanceName(name, suffix) }, name);
  const [statefulSet, backup, { items: claims }] = await Promise.all([
    find(resources.StatefulSet, 'etcd'),
    find(resources.Secret, SECRET_SUFFIX.caBackup),
    client.list(resources.PersistentVolumeClaim, { namespace, ...etcdClaimsOf(name) }),
  ]);
  return { statefulSet, backup, claims };
}

type Given = Pick<EtcdEvidence, 'karmada' | 'authorities' | 'wasReady' | 'startEmpty'>;

async function readAll(
  host: EvidenceReader,
  { metadata }: Karmada,
  known: Given,
  recorded: Recorded | Promise<Recorded>,
): Promise<EvidenceRead> {
  const { client } = host;
  const { name, namespace = '' } = metadata;
  const [{ statefulSet, backup, claims }, pods, volumes] = await Promise.all([
    recorded,
    client.list(resources.Pod, { namespace, ...onlyThose(isPodOf(name)) }),
    readVolumes(host, (volume) => isLeft(volume, name, namespace)),
  ]);
  const record = recordIn(backup?.metadata.annotations);
  const volume = volumeIn(name, claims, record);
  const inUse = volume === undefined ? claims : claimsInUse(claims, name, volume);
  const evidence: EtcdEvidence = {
    ...known,
    ...(statefulSet && { statefulSet: { members: membersIn(statefulSet) } }),
    claims: inUse.flatMap((claim) => claimEvidence(name, claim)),
    pods: pods.items.flatMap((pod) => podEvidence(name, pod)),
    volumes: volumes.map(nameIn),
    record,
  };
  return { evidence, backup, statefulSet, ...(volume !== undefined && { volume }) };
}

/**
 * Name of the PVC template: from the record, else from the PVCs if all have the same. A recovery keeps the PVCs of the
 * former cluster.
 */
function volumeIn(
  name: string,
  claims: readonly PersistentVolumeClaim[],
  record: Noted<EtcdRecord>,
): string | undefined {
  if (typeof record === 'object') return record.volume ?? DATA_VOLUME;
  const found = new Set(claims.flatMap(({ metadata }) => claimVolume(name, metadata.name) ?? []));
  if (found.size > 1) return undefined;
  return [...found][0] ?? DATA_VOLUME;
}

const isPodOf =
  (karmada: string) =>
  ({ metadata }: KubernetesObject): boolean =>
    podOrdinal(karmada, metadata.name) !== undefined;

const nameIn = ({ metadata }: KubernetesObject): string => metadata.name;

function claimEvidence(karmada: string, claim: PersistentVolumeClaim): readonly ClaimEvidence[] {
  const { name, annotations } = claim.metadata;
  const ordinal = claimOrdinal(karmada, name);
  if (ordinal === undefined) return [];
  const stamp = claimAnnotationIn(annotations);
  return [
    { name, ordinal, isUnbound: isUnbound(claim), isTerminating: isTerminating(claim), stamp },
  ];
}

function podEvidence(karmada: string, pod: Pod): readonly PodEvidence[] {
  const { name } = pod.metadata;
  const ordinal = podOrdinal(karmada, name);
  if (ordinal === undefined) return [];
  // Kubernetes deletes Pods of a deleted StatefulSet, unless they were orphaned on purpose.
  const isGarbage = pod.metadata.ownerReferences?.some(({ controller }) => controller === true);
  const isGone = isTerminating(pod) || isGarbage === true;
  return [{ name, ordinal, neverRan: neverRan(pod), isTerminating: isGone }];
}

/** Without permission to list PersistentVolumes the decision uses PVCs and the record only. */
async function readVolumes(
  { client, rights }: EvidenceReader,
  isWanted: (volume: KubernetesObject) => boolean,
): Promise<readonly KubernetesObject[]> {
  if (rights.lacks('list', 'persistentvolumes')) return [];
  try {
    return (await client.list(resources.PersistentVolume, onlyThose(isWanted))).items;
  } catch (error) {
    if (isStatus(error, 403)) return [];
    throw error;
  }
}

/**
 * Whether a volume was bound to an etcd PVC and is retained after its deletion. A volume that will be deleted does
 * not count as data.
 */
function isLeft(volume: PersistentVolume, karmada: string, namespace: string): boolean {
  const { spec = {}, status = {} } = volume;
  const { claimRef, persistentVolumeReclaimPolicy: policy } = spec;
  if (status.phase !== 'Released' || policy !== 'Retain' || claimRef === undefined) return false;
  return (
    claimRef.namespace === namespace && claimOrdinal(karmada, claimRef.name ?? '') !== undefined
  );
}
