/** Derives the result of the bootstrap decision for the etcd of a control plane: pure. */
import type { EtcdMembership } from '../../components/component.ts';
import { instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import { volumeKind } from '../../components/etcd/etcd.ts';
import type { PersistentVolumeClaim } from '../../kubernetes/objects/kinds.ts';
import { conditionOf, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { BlockedChange } from '../../instance/blocked-change.ts';
import { COMPONENT } from '../../api/labels.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { claimsOfPods } from '../../etcd-cluster/storage/persistent-volume-claims.ts';
import { membershipIn, membershipOf, isExisting } from '../../etcd-cluster/pods/membership.ts';
import type { BootstrapDecision, Storage } from '../../etcd-cluster/identity/decide-bootstrap.ts';
import type { EtcdBootstrap } from '../../instance/etcd-bootstrap.ts';
import { dataLossOf, type LossInput } from '../../etcd-cluster/identity/data-loss.ts';
import { recordIn, type EtcdRecord } from '../../etcd-cluster/identity/record.ts';
import {
  isFounding,
  templateState,
  type ClusterStateInput,
} from '../../etcd-cluster/identity/initial-cluster-state.ts';

/** Storage type in the spec of a Karmada. */
export function storageOf({ spec }: Pick<Snapshot, 'spec'>): Storage {
  return volumeKind(spec.components.etcd.local?.volumeData ?? {});
}

/** CA backup Secret, which stores the etcd record. */
export function backupIn({
  karmada,
  host,
}: Pick<Snapshot, 'karmada' | 'host'>): KubernetesObject | undefined {
  const name = instanceName(karmada.metadata.name, SECRET_SUFFIX.caBackup);
  return host.objects.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === name);
}

/** Record of the etcd cluster in the CA backup Secret. @returns undefined if there is none, or if it is unreadable */
export function etcdRecordOf(subject: Pick<Snapshot, 'karmada' | 'host'>): EtcdRecord | undefined {
  const record = recordIn(backupIn(subject)?.metadata.annotations);
  return typeof record === 'object' ? record : undefined;
}

/** Whether the API server may have acknowledged a write: it was available, or the control plane was Ready. */
export function hasServed({ karmada, host }: Pick<Snapshot, 'karmada' | 'host'>): boolean {
  if (karmada.status?.secretRef !== undefined) return true;
  const server = host.objects.find(
    ({ kind, metadata }) =>
      kind === 'Deployment' && metadata.labels?.[COMPONENT] === 'karmada-apiserver',
  );
  if (server === undefined) return false;
  return (
    conditionOf(server, 'Available')?.status === 'True' ||
    conditionOf(server, 'Progressing')?.reason === 'NewReplicaSetAvailable'
  );
}

/** Result for an existing StatefulSet. */
export function bootstrapOfLive(
  input: ClusterStateInput &
    Pick<LossInput, 'claims' | 'hasQuorum'> & { readonly neverServed?: boolean },
): EtcdBootstrap {
  const { live, record, clusterIdentity } = input;
  const problem = dataLossOf(input);
  const state = templateState(input);
  const kept = isExisting(live) ? 'existing' : 'new';
  const awaited = awaitedByDeployments({ isExisting: isExisting(live), record, clusterIdentity });
  return {
    membership: membershipIn(live, state === 'keep' ? kept : state),
    ...(state === 'keep' && { isKept: true }),
    ...(isFounding(input) && { isFounding: true }),
    ...(input.neverServed === true && { neverServed: true }),
    ...(awaited !== undefined && { awaited }),
    ...(problem && { problem }),
  };
}

/**
 * What new Deployments wait for: the API server, and the components that write through it. No client may write while
 * a member without data could start a new cluster, or before all members belong to one cluster.
 * @returns undefined if Deployments may be created
 */
export function awaitedByDeployments({
  isExisting,
  record,
  clusterIdentity,
}: Pick<ClusterStateInput, 'record' | 'clusterIdentity'> & { readonly isExisting: boolean }):
  string | undefined {
  if (clusterIdentity.kind === 'split') return 'clusterIdentity of the etcd members on one cluster';
  if (record?.state === 'unborn' && !isExisting) return 'the etcd Pods';
  // PVCs of an earlier operator release have no annotation; only their members can prove that they belong together.
  const isUnproven =
    clusterIdentity.kind === 'pending' || (isExisting && clusterIdentity.kind === 'unknown');
  if (record === undefined && isUnproven)
    return 'confirmation by the etcd members that they are one cluster';
  return undefined;
}

/** Result for an etcd without a StatefulSet. @param given token and PVC template of the cluster */
export function bootstrapOfDecision(
  decision: BootstrapDecision,
  given: Pick<EtcdMembership, 'token' | 'volume' | 'peers'>,
  replicas: number,
): EtcdBootstrap {
  const awaited = 'the etcd StatefulSet';
  switch (decision.kind) {
    case 'new':
    case 'existing': {
      const { kind, members } = decision;
      const membership = membershipOf(members, kind);
      return { membership: { ...membership, ...given }, awaited };
    }
    case 'blocked': {
      const { reason, message } = decision;
      const membership = membershipOf(replicas, 'existing');
      const isUnsure = UNSURE.has(reason);
      const blockedChange: BlockedChange = { step: 'etcd', reason, message };
      return { membership, blockedChange, awaited, isKept: true, ...(isUnsure && { isUnsure }) };
    }
    case 'dataLost': {
      const { reason, message } = decision;
      const membership = membershipOf(replicas, 'existing');
      return { membership, problem: { reason, message }, awaited, isKept: true };
    }
  }
}

/** Reasons that end without a watch event. */
const UNSURE: ReadonlySet<string> = new Set([
  'EtcdEvidenceReadFailed',
  'EtcdClaimsTerminating',
  'EtcdPodsLeft',
]);

/**
 * Record of a cluster whose members agree. A record of earlier members of the same cluster is replaced when all present
 * members are healthy: a new Pod or PVC of an unhealthy member may have no data.
 * @returns undefined if it is stored already, or the members do not agree
 */
export function bornRecord(
  {
    record,
    members,
    clusterIdentity,
  }: Pick<ClusterStateInput, 'record' | 'members' | 'clusterIdentity'>,
  context: {
    readonly ca: string;
    readonly token: string;
    readonly storage: Storage;
    readonly claims: readonly PersistentVolumeClaim[];
    /** `origin` is set while the StatefulSet shows it, and kept afterwards. */
    readonly seen?: Pick<EtcdRecord, 'origin' | 'peers' | 'listsHttp' | 'volume'>;
  },
): EtcdRecord | undefined {
  if (clusterIdentity.kind !== 'agreed') return undefined;
  const before = bornIn(record);
  const { clusterID } = clusterIdentity;
  const isWhole = clusterIdentity.pods.length === clusterIdentity.members;
  if (before !== undefined && (before.clusterID !== clusterID || !isWhole)) return undefined;
  const { token, ca, storage, claims, seen } = context;
  const data = holdersOf(members, claims, storage);
  const born: EtcdRecord = {
    state: 'born',
    token,
    members: clusterIdentity.members,
    clusterID,
    ca: before?.ca ?? ca,
    ...(data.length === clusterIdentity.members && { data }),
    ...seen,
    ...historyOf(record),
  };
  return before !== undefined && hasSameMembers(before, born) ? undefined : born;
}

const bornIn = (record: EtcdRecord | undefined): EtcdRecord | undefined =>
  record?.state === 'born' ? record : undefined;

/** What a new record keeps of the former one. */
function historyOf(
  record: EtcdRecord | undefined,
): Pick<EtcdRecord, 'origin' | 'startedEmpty' | 'volume' | 'recovery' | 'recovered'> {
  const { origin, startedEmpty, volume, recovery, recovered } = record ?? {};
  return {
    ...(origin && { origin }),
    ...(startedEmpty && { startedEmpty }),
    ...(volume !== undefined && { volume }),
    ...(recovery && { recovery }),
    ...(recovered && { recovered }),
  };
}

/** Whether a stored record names the same members. The holders of the data may be unknown. */
const hasSameMembers = (stored: EtcdRecord, now: EtcdRecord): boolean =>
  stored.members === now.members &&
  stored.origin === now.origin &&
  stored.peers === now.peers &&
  stored.listsHttp === now.listsHttp &&
  (now.data === undefined || String(stored.data) === String(now.data));

/** UIDs of the objects that contain the data of these members; empty for data on nodes. */
function holdersOf(
  members: readonly KubernetesObject[],
  claims: readonly PersistentVolumeClaim[],
  storage: Storage,
): readonly string[] {
  if (storage === 'hostPath') return [];
  const holders = storage === 'emptyDir' ? members : claimsOfPods(claims, members);
  return holders.flatMap(({ metadata }) => metadata.uid ?? []).sort();
}
