/**
 * Decides the next step of a recovery: pure. Until the restored data has been read back from a running member, nothing
 * of the former cluster changes, and the recovery can be withdrawn. Its volumes are kept in any case.
 */
import { PAUSE_REPAIR } from '../../instance/pause.ts';
import type { EtcdRecord, Recovery } from '../../etcd-cluster/identity/record.ts';
import { confirmedBackup, confirmedData } from '../../etcd-cluster/recovery/confirmed-backup.ts';
import type {
  FormerClaim,
  RecoveryFacts,
  RestorePod,
  SlowClient,
} from '../../etcd-cluster/recovery/facts.ts';
import { without } from '../../etcd-cluster/recovery/without.ts';

export type RecoveryStep =
  | { readonly kind: 'none' }
  /** The annotation does not match the present state. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'wait'; readonly message: string }
  /** Accept the annotation. From now on the clients of etcd are stopped. */
  | { readonly kind: 'begin'; readonly from: string; readonly message: string }
  /** Delete Pods that write to etcd with a short grace period, while their Deployments have no replicas any more. */
  | { readonly kind: 'endClients'; readonly pods: readonly SlowClient[]; readonly message: string }
  | { readonly kind: 'createClaim'; readonly message: string }
  | { readonly kind: 'createPod'; readonly message: string }
  | { readonly kind: 'deleteClaim'; readonly uid: string; readonly message: string }
  | { readonly kind: 'deletePod'; readonly uid: string; readonly message: string }
  /** Write the record: the new cluster replaces the former one, or the recovery ends. */
  | {
      readonly kind: 'record';
      /** Undefined to delete it. */
      readonly record: EtcdRecord | undefined;
      readonly message: string;
    }
  /** Label the PVCs of the former cluster. */
  | {
      readonly kind: 'keepClaims';
      readonly claims: readonly FormerClaim[];
      readonly message: string;
    }
  | { readonly kind: 'deleteStatefulSet'; readonly message: string };

/**
 * Added to the revision of the restored data. Clients may have seen revisions that the survivor does not have; all of
 * them must be compacted, so that watches from them fail and clients read everything again.
 */
export const REVISION_BUMP = 1_000_000_000n;

/** Time from an attempt that fails to the next one, in milliseconds. */
const RETRY_MS = 20_000;
/** The same while the former cluster serves: there is no hurry, and the status can name the cause for most of the time. */
const LOADING_RETRY_MS = 60_000;

type Known = RecoveryFacts & { readonly record: EtcdRecord };
type Recovering = Known & { readonly recovery: Recovery };

/** Returns the next step. */
export function nextRecoveryStep(facts: RecoveryFacts): RecoveryStep {
  const { record } = facts;
  // An etcd of the Go operator whose members never formed one cluster has no record.
  if (record === undefined) return facts.isReplaced === true ? request(facts) : { kind: 'none' };
  const { recovery } = record;
  if (recovery === undefined) return request(facts);
  const known = { ...facts, record, recovery };
  return unlessPaused(facts, PHASES[recovery.phase](known));
}

/** A backup is restored and verified before the API servers stop. */
function load(facts: Recovering): RecoveryStep {
  const isConfirmed = facts.requested === facts.recovery.from;
  return isConfirmed ? restoreData(facts) : withdraw(facts, 'the annotation was changed');
}

function request({ requested, refusal, record }: RecoveryFacts): RecoveryStep {
  if (requested === undefined || record?.recovered?.includes(requested) === true)
    return { kind: 'none' };
  if (refusal !== undefined) return { kind: 'refused', message: refusal };
  return { kind: 'begin', from: requested, message: `etcd: recovery from ${requested} begins` };
}

function restore(facts: Recovering): RecoveryStep {
  const { recovery, requested, hasQuorum, clients, slowClients = [] } = facts;
  // A backup also replaces the data of an etcd that works.
  const mayServe = facts.isReplaced === true || confirmedBackup(recovery.from) !== undefined;
  if (hasQuorum && !mayServe) return withdraw(facts, 'etcd has a quorum again');
  if (requested !== recovery.from) return withdraw(facts, 'the annotation was changed');
  const ending = `the Pods that write to etcd end (${clients.join(', ')})`;
  // Without etcd or with open watches, an API server uses its whole grace period. Writes that it has not acknowledged go to data that is
  // replaced, so a short one loses nothing. The kubelet ignores a shorter one of a Pod that ends already, so it must come first.
  if (slowClients.length > 0) return { kind: 'endClients', pods: slowClients, message: ending };
  if (clients.length > 0) return wait(ending);
  return restoreData(facts);
}

/** Deletes what the recovery created, and only that. */
function withdraw({ pod, claim, record }: Recovering, why: string): RecoveryStep {
  const message = `etcd: the recovery is withdrawn, because ${why}`;
  if (pod?.isOurs === true) return end(pod, message);
  if (claim?.isOurs === true)
    return claim.isTerminating
      ? wait(`PersistentVolumeClaim ${claim.name} is deleted`)
      : { kind: 'deleteClaim', uid: claim.uid, message };
  const isOwn = record.recovery?.isUnrecorded === true;
  return { kind: 'record', record: isOwn ? undefined : without(record, 'recovery'), message };
}

function end({ uid, name, isTerminating }: RestorePod, message: string): RecoveryStep {
  return isTerminating ? wait(`Pod ${name} ends`) : { kind: 'deletePod', uid, message };
}

function restoreData(facts: Recovering): RecoveryStep {
  const { claim, pod } = facts;
  const obstacle = obstacleOf(facts);
  if (obstacle !== undefined) return wait(obstacle);
  if (pod?.hasFailed === true) return retry(facts, pod);
  if (claim === undefined) return newClaim(pod);
  if (claim.isTerminating) return wait(`PersistentVolumeClaim ${claim.name} is deleted`);
  return pod === undefined ? newPod(facts) : verify(facts, claim.uid, pod);
}

function obstacleOf({ claim, pod, refusal, hasSurvivors }: Recovering): string | undefined {
  // The survivor may fail after its data was restored: then the restored data is the last copy.
  const isRestored = pod?.answer !== undefined && !hasSurvivors;
  if (refusal !== undefined && !isRestored) return refusal;
  const foreign = [claim, pod].find((object) => object?.isOurs === false);
  return foreign && `${foreign.name} is not of this recovery, which continues when it is gone`;
}

const newClaim = (pod: RestorePod | undefined): RecoveryStep =>
  pod === undefined
    ? { kind: 'createClaim', message: 'etcd: a PersistentVolumeClaim for the data is created' }
    : end(pod, 'etcd: the restore starts again, because its PersistentVolumeClaim is gone');

const newPod = ({ recovery }: Recovering): RecoveryStep => ({
  kind: 'createPod',
  message: `etcd: the data is restored from ${recovery.from}`,
});

/** `etcdutl` does not restore into a folder with data, so a failed attempt starts with a new PVC. */
function retry({ claim, recovery }: Recovering, pod: RestorePod): RecoveryStep {
  if (pod.ageMs < (recovery.phase === 'loading' ? LOADING_RETRY_MS : RETRY_MS))
    return wait(`Pod ${pod.name} has failed (${pod.problem ?? 'see its log'})`);
  const message = `etcd: the restore starts again, because Pod ${pod.name} has failed`;
  return claim?.isTerminating === false
    ? { kind: 'deleteClaim', uid: claim.uid, message }
    : end(pod, message);
}

/** The restored member must run, in another cluster, with all revisions of the survivor or of the backup. */
function verify(facts: Recovering, claim: string, pod: RestorePod): RecoveryStep {
  const { record, recovery } = facts;
  const { answer } = pod;
  if (pod.isTerminating) return wait(`Pod ${pod.name} ends`);
  if (answer?.isLeader !== true)
    return wait(`Pod ${pod.name} restores the data${pod.problem ? ` (${pod.problem})` : ''}`);
  const isComplete = BigInt(answer.revision) >= knownRevision(facts) + REVISION_BUMP;
  if (!isComplete || answer.clusterID === record.clusterID)
    return wait(
      `Pod ${pod.name} has revision ${answer.revision} of cluster ${answer.clusterID}, which is not the restored data; take the annotation off the Karmada to withdraw the recovery`,
    );
  return recovery.phase === 'loading'
    ? stopServers(facts)
    : switchTo(answer.clusterID, claim, { record, recovery });
}

/** Revision that the restored data must have. A former cluster that still serves may have passed the confirmed one. */
function knownRevision({ recovery, newestRevision = '0' }: Recovering): bigint {
  const confirmed = BigInt(confirmedData(recovery.from)?.revision ?? 0);
  const newest = recovery.phase === 'restoring' ? BigInt(newestRevision) : 0n;
  return newest > confirmed ? newest : confirmed;
}

const stopServers = ({ record, recovery, slowClients = [] }: Recovering): RecoveryStep => ({
  kind: 'record',
  record: {
    ...record,
    recovery: { ...recovery, phase: 'restoring', clients: slowClients.map(({ uid }) => uid) },
  },
  message: `etcd: the data of ${recovery.from} is complete, and the API servers stop`,
});

const switchTo = (
  clusterID: string,
  claim: string,
  { record, recovery }: Pick<Recovering, 'record' | 'recovery'>,
): RecoveryStep => ({
  kind: 'record',
  record: {
    // The new cluster has no member that accepts http.
    ...without(record, 'peers', 'listsHttp'),
    token: recovery.token,
    members: 1,
    clusterID,
    data: [claim],
    volume: recovery.volume,
    recovery: { ...recovery, phase: 'switching' },
  },
  message: `etcd: cluster ${clusterID} has the data of ${recovery.from} and replaces the former cluster`,
});

/** The record describes the new cluster. The former one ends, then the StatefulSet is created again. */
function replace(facts: Recovering): RecoveryStep {
  const { pod, statefulSet, recovery, record, formerClaims } = facts;
  const claims = formerClaims.filter(({ kept }) => kept === undefined);
  if (claims.length > 0) {
    const names = claims.map(({ name }) => name).join(', ');
    return { kind: 'keepClaims', claims, message: `etcd: PersistentVolumeClaim ${names} is kept` };
  }
  if (pod !== undefined) return end(pod, 'etcd: the restored data is complete');
  if (statefulSet === undefined) return wait('the StatefulSet is created');
  if (statefulSet.isTerminating) return wait('the former StatefulSet is deleted');
  if (statefulSet.token !== recovery.token)
    return {
      kind: 'deleteStatefulSet',
      message: 'etcd: the former cluster ends; its volumes stay',
    };
  if (!facts.hasQuorum || facts.clusterID !== record.clusterID)
    return wait('the first member of the new cluster starts');
  return {
    kind: 'record',
    record: {
      ...without(record, 'recovery'),
      recovered: [...(record.recovered ?? []), recovery.from],
    },
    message: `etcd: recovered from ${recovery.from}`,
  };
}

const PHASES: Readonly<Record<Recovery['phase'], (facts: Recovering) => RecoveryStep>> = {
  loading: load,
  restoring: restore,
  switching: replace,
};

/** ID of the former cluster, as the label of its PVCs. */
export const formerOf = ({ from }: Recovery): string => confirmedData(from)?.clusterID ?? '';

const wait = (what: string): RecoveryStep => ({ kind: 'wait', message: what });

/** A Pod or PVC whose repair is paused is neither changed nor deleted. */
function unlessPaused({ pod, claim }: RecoveryFacts, step: RecoveryStep): RecoveryStep {
  const object = step.kind === 'deletePod' ? pod : step.kind === 'deleteClaim' ? claim : undefined;
  if (object?.isPaused !== true) return step;
  return wait(`${object.name} has the annotation ${PAUSE_REPAIR}=true; remove it`);
}
