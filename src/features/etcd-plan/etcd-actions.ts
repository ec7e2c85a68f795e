/** Plans the actions on a local etcd, and which of its objects the plan must not write: pure. */
import { APPLIED_HASH } from '../../kubernetes/objects/compare.ts';
import type { StatefulSet } from '../../kubernetes/objects/kinds.ts';
import { isTerminating, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import type {
  ChangeEtcdMembers,
  ExcludeEtcdMember,
  GrowEtcdStorage,
  MaintainEtcd,
  RecoverEtcd,
  ReplaceEtcdStorage,
  RestartEtcdMember,
} from '../../actions/action.ts';
import type { BlockedChange } from '../../instance/blocked-change.ts';
import type { DesiredObjects, DesiredObject } from '../../instance/desired-objects.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { hasGoTemplate } from '../adoption/adopted-etcd.ts';
import { etcdAdoption, keptGoWorkload } from '../etcd-members/adopt-etcd.ts';
import { memberStep, replacesMembers } from '../etcd-members/read-facts.ts';
import type { MemberStep } from '../../etcd-cluster/members/step.ts';
import { hostPathBlocked, membersToRestart, templateBlocked } from '../etcd-storage/plan-etcd.ts';
import { claimGrowth } from '../etcd-storage/claim-growth.ts';
import { planUpkeep } from '../etcd-upkeep/plan-upkeep.ts';
import { silentMembers } from '../etcd-members/silent-members.ts';
import { storageReplacement } from '../etcd-storage/plan-storage.ts';
import type { Replacement } from '../../actions/action.ts';

/** Returns the cached object of a desired object; undefined if it does not exist. */
export type CachedOf = (target: DesiredObject) => KubernetesObject | undefined;

/** Only writes of the desired objects. */
const NO_ACTION: EtcdPlan = { actions: [], isUntouched: () => false, blockedChanges: [] };

interface EtcdPlanInput {
  readonly snapshot: Snapshot;
  readonly desired: DesiredObjects;
}

export interface EtcdPlan {
  readonly actions: readonly (
    | RestartEtcdMember
    | ReplaceEtcdStorage
    | ChangeEtcdMembers
    | MaintainEtcd
    | ExcludeEtcdMember
    | GrowEtcdStorage
    | RecoverEtcd
  )[];
  /** Whether the plan must not write an object: the StatefulSet, or all objects of etcd. */
  readonly isUntouched: (target: DesiredObject) => boolean;
  readonly blockedChanges: readonly BlockedChange[];
}

/**
 * Plans actions on a local etcd, apart from writes of its StatefulSet.
 * @param paused desired objects whose repair is paused
 */
export function planEtcd(
  { snapshot, desired }: EtcdPlanInput,
  cachedOf: CachedOf,
  paused: ReadonlySet<DesiredObject>,
): EtcdPlan {
  const wanted = desired.objects.find(isEtcdWorkload);
  if (wanted === undefined) return NO_ACTION;
  const split = splitHold(snapshot);
  const statefulSet = cachedOf(wanted);
  const recovery = recoveryOf(wanted, statefulSet, snapshot);
  // The user has named the member whose data remains.
  const isReplaced = recovery !== undefined && statefulSet && hasGoTemplate(statefulSet);
  if (split && isReplaced !== true)
    return { actions: [], isUntouched: isInSplitEtcd, blockedChanges: [split] };
  if (recovery) return split ? { ...recovery, isUntouched: isInSplitEtcd } : recovery;
  const plan = planOf(wanted, statefulSet, snapshot, paused.has(wanted));
  const excluded = silentMembers(snapshot).map((silent): ExcludeEtcdMember => ({
    kind: 'excludeEtcdMember',
    silent,
  }));
  return { ...plan, actions: [...excluded, ...plan.actions] };
}

/** @param isRepairPaused whether the repair of the StatefulSet is paused */
function planOf(
  wanted: DesiredObject,
  statefulSet: StatefulSet | undefined,
  snapshot: Snapshot,
  isRepairPaused: boolean,
): EtcdPlan {
  const isUntouched = (target: DesiredObject): boolean => target === wanted;
  if (isKept(snapshot) || isRootForbidden(snapshot))
    return { actions: [], isUntouched, blockedChanges: [] };
  const replacement = isRepairPaused ? undefined : replacementOf(wanted, statefulSet, snapshot);
  if (replacement)
    return {
      actions: [{ kind: 'replaceEtcdStorage', replacement }],
      isUntouched,
      blockedChanges: replacement.blockedChanges,
    };
  if (statefulSet === undefined) return NO_ACTION;
  const blocked = blockedWrite(wanted, statefulSet, snapshot, isRepairPaused);
  if (blocked) return { ...blocked, isUntouched };
  return isRepairPaused ? NO_ACTION : changesOf(wanted, statefulSet, snapshot);
}

/** A recovery changes nothing else of etcd. */
function recoveryOf(
  wanted: DesiredObject,
  statefulSet: StatefulSet | undefined,
  snapshot: Snapshot,
): EtcdPlan | undefined {
  const { recovery, isKept = false } = snapshot.etcdBootstrap ?? {};
  if (recovery === undefined || statefulSet === undefined) return undefined;
  const keepsAll = isKept || keptGoWorkload(snapshot) !== undefined;
  const isUntouched = ({ step, cluster }: DesiredObject): boolean =>
    keepsAll && step === 'etcd' && cluster === 'host';
  const restored = isKept && recovery.phase !== 'switching' ? { restored: wanted } : {};
  const action = { kind: 'recoverEtcd', statefulSet, ...restored } as const;
  return { actions: [action], isUntouched, blockedChanges: [] };
}

/** No write until the operator knows whether etcd data exists, nor to an etcd of the Go operator. */
const isKept = (snapshot: Snapshot): boolean =>
  snapshot.etcdBootstrap?.isKept === true || keptGoWorkload(snapshot) !== undefined;

/** Whether a Pod that is created with the desired template could not read the data of an adopted etcd. */
function isRootForbidden(snapshot: Snapshot): boolean {
  const adoption = etcdAdoption(snapshot);
  return adoption?.kind === 'blocked' && adoption.problem.reason === 'EtcdRootForbidden';
}

/** Returns what happens instead of a write of the StatefulSet; undefined if it may be written. */
function blockedWrite(
  wanted: DesiredObject,
  statefulSet: StatefulSet,
  snapshot: Snapshot,
  isRepairPaused: boolean,
): Omit<EtcdPlan, 'isUntouched'> | undefined {
  // It is created again when its controller has released the Pods.
  if (isTerminating(statefulSet)) return { actions: [], blockedChanges: [] };
  const adoption = etcdAdoption(snapshot);
  const mayGrow = !isRepairPaused && wanted.untouched !== true && adoption === undefined;
  const growth = mayGrow ? growthOf(wanted, statefulSet, snapshot) : undefined;
  if (growth) return growth;
  const blockedChange = changeHold(wanted, statefulSet, snapshot);
  return blockedChange && { actions: [], blockedChanges: [blockedChange] };
}

const replacementOf = (
  wanted: DesiredObject,
  statefulSet: StatefulSet | undefined,
  { karmada, host }: Snapshot,
): Replacement | undefined =>
  wanted.untouched
    ? undefined
    : storageReplacement(karmada.metadata.name, wanted, { ...host, statefulSet });

/** Growth of the PVCs. It waits while the members change, because it must find their PVCs. */
function growthOf(
  wanted: DesiredObject,
  statefulSet: StatefulSet,
  snapshot: Snapshot,
): Omit<EtcdPlan, 'isUntouched'> | undefined {
  const { karmada, host, missingRights } = snapshot;
  const { claims, storageClasses } = host;
  const objects = { statefulSet, claims, ...(storageClasses && { storageClasses }) };
  const growth = claimGrowth(karmada.metadata.name, wanted, objects, missingRights);
  if (growth === undefined) return undefined;
  if (growth.kind === 'blocked') return { actions: [], blockedChanges: [growth.blockedChange] };
  if (growth.kind === 'recreate' && !isIdle(memberStep(snapshot)))
    return { actions: [], blockedChanges: [] };
  return { actions: [{ kind: 'growEtcdStorage', statefulSet, wanted }], blockedChanges: [] };
}

const isIdle = ({ kind }: MemberStep): boolean => kind === 'none' || kind === 'blocked';

const changeHold = (
  wanted: DesiredObject,
  statefulSet: StatefulSet,
  snapshot: Snapshot,
): BlockedChange | undefined =>
  hostPathBlocked(snapshot.karmada, statefulSet, wanted) ??
  templateBlocked(statefulSet, wanted, snapshot.host.pods, losesNothing(snapshot));

/** Whether a restart loses no data of a user: the operator replaces the member, or no API server has ever served. */
const losesNothing = (snapshot: Snapshot): boolean =>
  replacesMembers(snapshot) || snapshot.etcdBootstrap?.neverServed === true;

/** Changes of the members, or the restart of a member. Never both at once. */
function changesOf(wanted: DesiredObject, statefulSet: StatefulSet, snapshot: Snapshot): EtcdPlan {
  const step = memberStep(snapshot);
  const blockedChanges: readonly BlockedChange[] = [];
  if (step.kind === 'scale') {
    const scaled = { replicas: step.replicas, target: wanted };
    const action = { kind: 'changeEtcdMembers', statefulSet, scaled } as const;
    return { actions: [action], isUntouched: (target) => target === wanted, blockedChanges };
  }
  const isCurrent = statefulSet.metadata.annotations?.[APPLIED_HASH] === wanted.hash;
  // A member that is being defragmented responds to nothing, so that no other one may be away.
  const mayAct = isCurrent && snapshot.etcdUpkeep?.isRunning !== true;
  const actions = mayAct ? actionsOf(statefulSet, snapshot, step) : [];
  return { actions, isUntouched: () => false, blockedChanges };
}

/** Actions on a StatefulSet with the desired template, apart from a change of the number of Pods. */
function actionsOf(
  statefulSet: StatefulSet,
  snapshot: Snapshot,
  step: MemberStep,
): EtcdPlan['actions'] {
  // What blocks the steps of an adopted etcd also keeps its member list.
  const isBlocked = step.kind === 'updatePeerURLs' && isAdoptionBlocked(snapshot);
  const isDone = isBlocked || isAtRest(step);
  const change = isDone ? [] : [{ kind: 'changeEtcdMembers', statefulSet } as const];
  // A member that does not run may delay the change until it is restarted with a corrected template.
  const mayRestart = isDone || (step.kind === 'wait' && !step.isJoining);
  const actions = [...change, ...(mayRestart ? restartOf(statefulSet, snapshot) : [])];
  const isFounding = snapshot.etcdBootstrap?.isFounding === true;
  return actions.length > 0 || isFounding ? actions : planUpkeep(statefulSet, snapshot);
}

const isAdoptionBlocked = (snapshot: Snapshot): boolean =>
  etcdAdoption(snapshot)?.kind === 'blocked';

/** Whether the members need no change before an event, or before a known time. */
const isAtRest = (step: MemberStep): boolean =>
  isIdle(step) || (step.kind === 'wait' && step.dueAt !== undefined);

/** A recreated Pod gets the current template, so the StatefulSet must have the desired one first. */
function restartOf(live: KubernetesObject, snapshot: Snapshot): EtcdPlan['actions'] {
  // A restarted member of an adopted etcd must find its data.
  if (isAdoptionBlocked(snapshot)) return [];
  const { host, etcdBootstrap } = snapshot;
  const context = { ...etcdBootstrap, isReplaced: replacesMembers(snapshot) };
  const isDue = membersToRestart(live, host.pods, context).length > 0;
  return isDue ? [{ kind: 'restartEtcdMember', statefulSet: live }] : [];
}

/** Blocks all changes of etcd while its members belong to different clusters: the valid data is unknown. */
function splitHold({ etcd }: Snapshot): BlockedChange | undefined {
  return etcd?.splitBrain && { step: 'etcd', blocksLaterStages: true, ...etcd.splitBrain };
}

/** Whether an object belongs to a split etcd, or is stored in it. */
const isInSplitEtcd = ({ step, cluster }: DesiredObject): boolean =>
  step === 'etcd' || cluster === 'controlPlane';

function isEtcdWorkload({ step, object }: DesiredObject): boolean {
  return step === 'etcd' && object.kind === 'StatefulSet';
}
