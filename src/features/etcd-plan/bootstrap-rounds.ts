/** Rounds that decide how etcd may start, before its StatefulSet is written: they read which data exists, and record the cluster. */
import { instanceName } from '../../api/naming.ts';
import { isTerminating, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Action } from '../../actions/action.ts';
import type { Host } from '../../host-clusters/host.ts';
import {
  NOTHING,
  type Known,
  type Round,
  type RoundDecision,
  type RoundInput,
} from '../../actions/round.ts';
import type { ExecutionResult } from '../../actions/execution-result.ts';
import type { CertificatesView, Snapshot } from '../../instance/snapshot.ts';
import { etcdPods } from '../../etcd-cluster/pods/etcd-pods.ts';
import { membersIn, tokenIn } from '../../etcd-cluster/pods/membership.ts';
import { givenBefore, givenBy, signerOf, unbornRecord, unnoted } from './founding-record.ts';
import { notesOf } from './record-notes.ts';
import { EXPAND_RIGHT } from '../etcd-storage/claim-growth.ts';
import { etcdWorkload } from '../etcd-storage/plan-etcd.ts';
import { afterRecovery, withRecovery } from '../etcd-recovery/recovery-bootstrap.ts';
import {
  clusterIdentityOf,
  type ClusterIdentity,
} from '../../etcd-cluster/identity/cluster-identity.ts';
import {
  backupIn,
  bootstrapOfDecision,
  bootstrapOfLive,
  bornRecord,
  hasServed,
  storageOf,
} from '../etcd-bootstrap/bootstrap.ts';
import { decideEtcdBootstrap } from '../../etcd-cluster/identity/decide-bootstrap.ts';
import type { EtcdBootstrap } from '../../instance/etcd-bootstrap.ts';
import { readEvidence } from '../etcd-bootstrap/evidence.ts';
import { neverServed } from '../etcd-bootstrap/never-served.ts';
import { isRecorded } from '../etcd-bootstrap/record-cache.ts';
import {
  START_EMPTY_ANNOTATION,
  recordIn,
  type EtcdRecord,
} from '../../etcd-cluster/identity/record.ts';
import type { ClusterStateInput } from '../../etcd-cluster/identity/initial-cluster-state.ts';
import { missingClaimAnnotations } from '../../etcd-cluster/identity/claim-annotations.ts';
import { ordinalsBelow } from '../../untrusted/ordinals.ts';

interface Tools {
  readonly host: Pick<Host, 'client' | 'rights'>;
}

/** A local etcd whose certificates exist. */
interface Subject {
  readonly snapshot: Snapshot;
  readonly view: CertificatesView;
}

/** @returns undefined for an external etcd, and while there are no certificates */
function subjectOf({ snapshot, view }: Known): Subject | undefined {
  const isLocal = snapshot.spec.components.etcd.local !== undefined;
  return isLocal && view !== undefined && view.etcdAuthorities.length > 0
    ? { snapshot, view }
    : undefined;
}

/** Reads without a StatefulSet which data exists, and finds a StatefulSet that lost its labels. */
async function readData(tools: Tools, known: Known): Promise<Partial<Known>> {
  const subject = subjectOf(known);
  if (subject === undefined || etcdWorkload(known.snapshot) !== undefined) return {};
  const { snapshot, view } = subject;
  const { statefulSet, ...etcdData } = await readEvidence(
    tools.host,
    snapshot.karmada,
    view.etcdAuthorities,
    known.newBackup,
  );
  const { host } = snapshot;
  return statefulSet === undefined
    ? { snapshot: { ...snapshot, etcdData } }
    : { snapshot: { ...snapshot, host: { ...host, objects: [...host.objects, statefulSet] } } };
}

/** Decides which cluster an etcd is, and records it before its StatefulSet is written. */
function decideRecord(known: Known, input: RoundInput): RoundDecision {
  const subject = subjectOf(known);
  if (subject === undefined) return NOTHING;
  const live = etcdWorkload(subject.snapshot);
  return live === undefined
    ? recordAbsent(subject, input)
    : recordLive(subject, live, input.instance);
}

function recordAbsent(subject: Subject, input: RoundInput): RoundDecision {
  const { snapshot } = subject;
  const { etcdData: read } = snapshot;
  if (read === undefined) return NOTHING;
  const replicas = snapshot.spec.components.etcd.local?.replicas ?? 1;
  const decision = decideEtcdBootstrap(read.evidence, { replicas, storage: storageOf(snapshot) });
  const { record } = read.evidence;
  const known = typeof record === 'object' ? record : undefined;
  if (decision.kind !== 'new') {
    const bootstrap = bootstrapOfDecision(decision, givenBefore(known, read.volume), replicas);
    const etcdBootstrap = afterRecovery(bootstrap, known, read.evidence.pods);
    return { actions: [], learn: () => ({ snapshot: { ...snapshot, etcdBootstrap } }) };
  }
  const unborn = unbornRecord(input.random, { ...subject, decision, known });
  const { actions, isStored } = recording(read.backup, unborn, input.instance);
  const bootstrap = bootstrapOfDecision(decision, givenBy(unborn), replicas);
  const { name } = snapshot.karmada.metadata;
  return {
    actions,
    learn: (result) => ({
      snapshot: {
        ...snapshot,
        etcdBootstrap: isStored(result) ? bootstrap : unnoted(bootstrap, name),
      },
    }),
  };
}

/** What the objects and members of a running etcd show about its record. @param noted the stored record */
function clusterStateOf(
  snapshot: Snapshot,
  live: KubernetesObject,
  noted: ReturnType<typeof recordIn>,
): ClusterStateInput {
  const record = typeof noted === 'object' ? noted : undefined;
  const members = etcdPods(snapshot.host.pods);
  const clusterIdentity = clusterIdentityFor(snapshot, live, record);
  return { live, record, members, clusterIdentity, hasServed: hasServed(snapshot) };
}

/** Confirms the record when all members have started as one cluster. */
function recordLive(
  { snapshot, view }: Subject,
  live: KubernetesObject,
  instance: RoundInput['instance'],
): RoundDecision {
  const backup = backupIn(snapshot);
  const noted = recordIn(backup?.metadata.annotations);
  const clusterState = clusterStateOf(snapshot, live, noted);
  const born =
    noted === 'unreadable'
      ? undefined
      : bornRecord(clusterState, {
          ca: signerOf(view),
          token: tokenIn(live) ?? '',
          storage: storageOf(snapshot),
          claims: snapshot.host.claims,
          seen: notesOf(snapshot, live),
        });
  if (born === undefined) return { actions: [], learn: () => ({ clusterState }) };
  const { actions, isStored } = recording(backup, born, instance);
  return {
    actions,
    learn: (result) => ({
      clusterState: isStored(result) ? { ...clusterState, record: born } : clusterState,
    }),
  };
}

/** Records in each PVC of a running etcd which data it contains. */
function decideClaims({ snapshot, view, clusterState }: Known): RoundDecision {
  if (view === undefined || clusterState === undefined) return NOTHING;
  // The condition Warning reports the missing permission (HostRightsMissing).
  const isAllowed = snapshot.missingRights?.includes(EXPAND_RIGHT) !== true;
  const { name } = snapshot.karmada.metadata;
  const due = isAllowed
    ? missingClaimAnnotations(name, snapshot.host.claims, { ...clusterState, ca: signerOf(view) })
    : [];
  const etcdBootstrap = bootstrapOf(snapshot, clusterState);
  return {
    actions: due.map((stamp) => ({ kind: 'annotateClaim', stamp })),
    learn: () => ({ snapshot: { ...snapshot, etcdBootstrap } }),
  };
}

/** Returns how a running etcd may start its members. */
function bootstrapOf(snapshot: Snapshot, input: ClusterStateInput): EtcdBootstrap {
  const decided = bootstrapOfLive({
    ...input,
    claims: snapshot.host.claims,
    hasQuorum: snapshot.etcd?.quorum === true,
    neverServed: neverServed(snapshot, input),
  });
  return withRecovery(decided, snapshot, { live: input.live, record: input.record });
}

/** Deletes the StatefulSet of a cluster that its user gave up, before the new cluster is created, but no PVC. */
function decideAbandonment({ snapshot, clusterState }: Known): RoundDecision {
  const { etcdBootstrap } = snapshot;
  if (clusterState === undefined || etcdBootstrap === undefined) return NOTHING;
  const { live: statefulSet, record } = clusterState;
  const isDue = isGivenUp(snapshot, etcdBootstrap, record);
  return { actions: isDue ? [{ kind: 'abandonEtcd', statefulSet }] : [] };
}

/** Whether no member has its data, and the user gave up the data of this cluster by annotation. */
function isGivenUp(
  { karmada }: Pick<Snapshot, 'karmada'>,
  { problem }: EtcdBootstrap,
  record: EtcdRecord | undefined,
): boolean {
  const id = record?.clusterID;
  if (problem?.reason !== 'DataLost' || id === undefined) return false;
  const wanted = karmada.metadata.annotations?.[START_EMPTY_ANNOTATION];
  return wanted === id && record?.startedEmpty?.includes(id) !== true;
}

/** Evaluates the last member responses. */
function clusterIdentityFor(
  { etcd, karmada }: Snapshot,
  live: KubernetesObject,
  record: EtcdRecord | undefined,
): ClusterIdentity {
  const set = instanceName(karmada.metadata.name, 'etcd');
  const names = ordinalsBelow(membersIn(live)).map((ordinal) => `${set}-${ordinal}`);
  return clusterIdentityOf(etcd, { names, isRecorded: record !== undefined });
}

/** Writes the record if it is not stored. `isStored` tells whether it is, from the result of the actions. */
function recording(
  backup: KubernetesObject | undefined,
  record: EtcdRecord,
  { etcdRecord: memo }: Pick<RoundInput['instance'], 'etcdRecord'>,
): {
  readonly actions: readonly Action[];
  readonly isStored: (result: Pick<ExecutionResult, 'writes'>) => boolean;
} {
  if (backup === undefined || isTerminating(backup)) return { actions: [], isStored: () => false };
  if (isRecorded(backup, record, memo)) return { actions: [], isStored: () => true };
  const actions = [{ kind: 'recordEtcd', backup, record } as const];
  return { actions, isStored: ({ writes }) => writes > 0 };
}

/** How the etcd of a control plane may start, before its StatefulSet is written. */
export const bootstrapRounds: readonly Round<Tools>[] = [
  { name: 'record of the etcd cluster', observe: readData, decide: decideRecord },
  { name: 'data of the etcd cluster', decide: decideClaims },
  { name: 'etcd cluster that was given up', decide: decideAbandonment },
];
