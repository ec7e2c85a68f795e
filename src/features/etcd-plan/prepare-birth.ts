/**
 * Runs the bootstrap decision of etcd before its StatefulSet is written: reads, decides, and stores the record. Does
 * not block.
 */
import { instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import type { EtcdMembership } from '../../components/component.ts';
import { DATA_VOLUME } from '../../components/etcd/data-volume.ts';
import type { Random } from '../../kubernetes/clock.ts';
import { isTerminating, type KubernetesObject } from '../../kubernetes/object.ts';
import type { Action } from '../../actions/action.ts';
import type { Host } from '../../host-clusters/host.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import type { ExecutionResult } from '../../actions/execution-result.ts';
import type { CertificatesView, Snapshot } from '../../instance/snapshot.ts';
import { etcdPods } from '../../etcd-cluster/pods/etcd-pods.ts';
import { membersIn, tokenIn } from '../../etcd-cluster/pods/membership.ts';
import { etcdWorkload } from '../etcd-storage/plan-etcd.ts';
import { afterRecovery, withRecovery } from '../etcd-recovery/recovery-birth.ts';
import { agreementOf, type Agreement } from '../../etcd-cluster/identity/agreement.ts';
import {
  backupIn,
  birthOfDecision,
  birthOfLive,
  bornRecord,
  hasServed,
  storageOf,
} from '../etcd-bootstrap/birth.ts';
import {
  decideEtcdBirth,
  type BirthDecision,
} from '../../etcd-cluster/identity/decide-bootstrap.ts';
import type { EtcdBirth } from '../../instance/etcd-birth.ts';
import { readEvidence } from '../etcd-bootstrap/evidence.ts';
import { neverServed } from '../etcd-bootstrap/never-served.ts';
import { isRecorded } from '../etcd-bootstrap/record-cache.ts';
import {
  START_EMPTY_ANNOTATION,
  birthToken,
  recordIn,
  type EtcdRecord,
} from '../../etcd-cluster/identity/record.ts';
import type { SealInput } from '../../etcd-cluster/identity/seal.ts';
import { missingClaimAnnotations } from '../../etcd-cluster/identity/claim-annotations.ts';

export interface TendTools {
  readonly instance: Pick<InstanceCache, 'etcdRecord'>;
  readonly host: Pick<Host, 'client' | 'rights'>;
  readonly random: Random;
  /** Executes actions; throws the first error. */
  readonly act: (actions: readonly Action[]) => Promise<ExecutionResult>;
}

/**
 * Decides how the etcd of a control plane may start, and stores the record.
 * @param view undefined while there are no certificates
 * @returns the snapshot with `etcdBirth`, and with a StatefulSet that lost its labels; unchanged for an external etcd
 * @throws ApiError, NetworkError if an annotation could not be written and a retry may succeed
 */
export async function prepareEtcdBirth(
  tools: TendTools,
  snapshot: Snapshot,
  view: CertificatesView | undefined,
): Promise<Snapshot> {
  const { local } = snapshot.spec.components.etcd;
  if (local === undefined || view === undefined) return snapshot;
  if (view.etcdAuthorities.length === 0) return snapshot;
  const live = etcdWorkload(snapshot);
  if (live !== undefined) return tendLive(tools, snapshot, live, view);
  return tendAbsent(tools, snapshot, view);
}

async function tendAbsent(
  tools: TendTools,
  snapshot: Snapshot,
  view: CertificatesView,
): Promise<Snapshot> {
  const { karmada, spec, host } = snapshot;
  const replicas = spec.components.etcd.local?.replicas ?? 1;
  const read = await readEvidence(tools.host, karmada, view.etcdAuthorities);
  if (read.statefulSet !== undefined) {
    const objects = [...host.objects, read.statefulSet];
    return tendLive(tools, { ...snapshot, host: { ...host, objects } }, read.statefulSet, view);
  }
  const decision = decideEtcdBirth(read.evidence, { replicas, storage: storageOf(snapshot) });
  const { record } = read.evidence;
  const known = typeof record === 'object' ? record : undefined;
  if (decision.kind === 'new') {
    const unborn = unbornRecord(tools, karmada.metadata, { decision, known, view });
    const isStored = await note(tools, read.backup, unborn);
    const birth = birthOfDecision(decision, givenBy(unborn), replicas);
    return { ...snapshot, etcdBirth: isStored ? birth : unnoted(birth, karmada.metadata.name) };
  }
  const birth = birthOfDecision(decision, givenBefore(known, read.volume), replicas);
  return { ...snapshot, etcdBirth: afterRecovery(birth, known, read.evidence.pods) };
}

/** Token and PVC template of the cluster that the data belongs to. */
function givenBefore(
  known: EtcdRecord | undefined,
  volume: string | undefined,
): Pick<EtcdMembership, 'token' | 'volume'> {
  return {
    // The token of an unconfirmed cluster would let members without data start a new cluster.
    ...(known?.state === 'born' && { token: known.token }),
    ...(volume !== undefined && volume !== DATA_VOLUME && { volume }),
  };
}

const givenBy = ({ token, volume }: EtcdRecord): Pick<EtcdMembership, 'token' | 'volume'> => ({
  token,
  ...(volume !== undefined && { volume }),
});

interface Founding {
  readonly decision: Extract<BirthDecision, { kind: 'new' }>;
  readonly known: EtcdRecord | undefined;
  readonly view: CertificatesView;
}

/** Record of a cluster to be created; keeps the token of an earlier attempt. */
function unbornRecord(
  { random }: Pick<TendTools, 'random'>,
  { name, namespace = '' }: Snapshot['karmada']['metadata'],
  { decision: { members, gaveUp }, known, view }: Founding,
): EtcdRecord {
  const isAgain = known?.state === 'unborn' && gaveUp === undefined;
  const token = isAgain ? known.token : birthToken(instanceName(name, 'etcd'), namespace, random);
  const given = [...(known?.startedEmpty ?? []), ...(gaveUp === undefined ? [] : [gaveUp])];
  return {
    state: 'unborn',
    token,
    members,
    ca: signerOf(view),
    ...(given.length > 0 && { startedEmpty: [...new Set(given)] }),
    ...recoveriesOf(known),
  };
}

/** What a new record keeps of former recoveries. */
function recoveriesOf(known: EtcdRecord | undefined): Pick<EtcdRecord, 'volume' | 'recovered'> {
  const { volume, recovered } = known ?? {};
  return { ...(volume !== undefined && { volume }), ...(recovered && { recovered }) };
}

const signerOf = ({ etcdAuthorities: [first = ''] }: CertificatesView): string => first;

/** Blocks the creation of a cluster without a stored record. */
function unnoted(birth: EtcdBirth, name: string): EtcdBirth {
  const secret = instanceName(name, SECRET_SUFFIX.caBackup);
  const message = `Secret ${secret}: the record of the new etcd cluster could not be written, so the cluster is not created; the operator retries`;
  const blockedChange = { step: 'etcd', reason: 'EtcdRecordNotWritten', message } as const;
  return { ...birth, blockedChange, isKept: true, isUnsure: true };
}

async function tendLive(
  tools: TendTools,
  snapshot: Snapshot,
  live: KubernetesObject,
  view: CertificatesView,
): Promise<Snapshot> {
  const backup = backupIn(snapshot);
  const noted = recordIn(backup?.metadata.annotations);
  const record = typeof noted === 'object' ? noted : undefined;
  const members = etcdPods(snapshot.host.pods);
  const agreement = agreementFor(snapshot, live, record);
  const input: SealInput = { live, record, members, agreement, hasServed: hasServed(snapshot) };
  const context = {
    ca: signerOf(view),
    token: tokenIn(live) ?? '',
    storage: storageOf(snapshot),
    claims: snapshot.host.claims,
  };
  const born = noted === 'unreadable' ? undefined : bornRecord(input, context);
  const isBorn = born !== undefined && (await note(tools, backup, born));
  const present = isBorn ? { ...input, record: born } : input;
  const seal = { ...present, ca: context.ca };
  // The condition Warning reports the missing permission (HostRightsMissing).
  const { namespace } = snapshot.karmada.metadata;
  const isAllowed = !tools.host.rights.lacks('patch', 'persistentvolumeclaims', namespace);
  const due = isAllowed
    ? missingClaimAnnotations(snapshot.karmada.metadata.name, context.claims, seal)
    : [];
  await tools.act(due.map((stamp) => ({ kind: 'annotateClaim', stamp })));
  const hasQuorum = snapshot.etcd?.quorum === true;
  const decided = birthOfLive({
    ...{ ...present, claims: context.claims, hasQuorum },
    neverServed: neverServed(snapshot, present),
  });
  const birth = withRecovery(decided, snapshot, { live, record: present.record });
  // Deletes the StatefulSet before the new cluster is created, but no PVC.
  if (isGivenUp(snapshot, birth, record))
    await tools.act([{ kind: 'abandonEtcd', statefulSet: live }]);
  return { ...snapshot, etcdBirth: birth };
}

/** Whether no member has its data, and the user gave up the data of this cluster by annotation. */
function isGivenUp(
  { karmada }: Pick<Snapshot, 'karmada'>,
  { problem }: EtcdBirth,
  record: EtcdRecord | undefined,
): boolean {
  const id = record?.clusterID;
  if (problem?.reason !== 'DataLost' || id === undefined) return false;
  const wanted = karmada.metadata.annotations?.[START_EMPTY_ANNOTATION];
  return wanted === id && record?.startedEmpty?.includes(id) !== true;
}

/** Evaluates the last member responses. */
function agreementFor(
  { etcd, karmada }: Snapshot,
  live: KubernetesObject,
  record: EtcdRecord | undefined,
): Agreement {
  const set = instanceName(karmada.metadata.name, 'etcd');
  const names = Array.from({ length: membersIn(live) }, (_, ordinal) => `${set}-${ordinal}`);
  return agreementOf(etcd, { names, isRecorded: record !== undefined });
}

/** Writes the record if it is not stored. @returns whether it is stored */
async function note(
  tools: TendTools,
  backup: KubernetesObject | undefined,
  record: EtcdRecord,
): Promise<boolean> {
  if (backup === undefined || isTerminating(backup)) return false;
  if (isRecorded(backup, record, tools.instance.etcdRecord)) return true;
  const { writes } = await tools.act([{ kind: 'recordEtcd', backup, record }]);
  return writes > 0;
}
