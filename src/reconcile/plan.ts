/**
 * Which actions are allowed now, and why every other one has to wait: pure. All ordering and all
 * safety of an instance live here, in `plan-etcd.ts` and in `plan-prune.ts`.
 */
import type { Step } from '../components/component.ts';
import { APPLIED_HASH } from '../kubernetes/compare.ts';
import { byIdentity, type KubernetesObject } from '../kubernetes/object.ts';
import type { Action, Apply, ReplaceEtcdStorage, RestartEtcdMember } from './action.ts';
import type { Desired, DesiredObject } from './desired.ts';
import { COMPONENT } from '../api/labels.ts';
import { passedOver, type Hold } from './hold.ts';
import { isPaused, pauseHold } from './pause.ts';
import { hostPathHold, membersToRestart, templateHold } from './etcd/plan-etcd.ts';
import { storageReplacement, type Replacement } from './etcd/plan-storage.ts';
import { pruning } from './plan-prune.ts';
import type { CertificatesView, Snapshot } from './snapshot.ts';
import { hasTurn, isServing, openDependencies, openStages, type StepStates } from './steps.ts';

export interface Plan {
  readonly actions: readonly Action[];
  /** Changes that need more than time. */
  readonly holds: readonly Hold[];
}

export interface PlanInput {
  readonly snapshot: Snapshot;
  readonly desired: Desired;
  readonly states: StepStates;
  /** Holds found while the wish was made. */
  readonly holds: readonly Hold[];
  /** Steps that would route requests to where none arrives yet. */
  readonly closed?: ReadonlySet<Step>;
}

/** The plan of a reconcile that has no certificates to work with yet. */
export const CERTIFICATES_FIRST: Plan = { actions: [], holds: [] };

/** What to do now. */
export function planInstance(input: PlanInput, view: CertificatesView): Plan {
  const { snapshot, desired, states } = input;
  const live = {
    host: byIdentity(snapshot.host.objects),
    controlPlane: byIdentity(snapshot.controlPlane.objects),
  };
  const cachedOf: CachedOf = ({ place, id }) => live[place].get(id);
  const paused = pausesOf(desired, cachedOf);
  const etcd = planEtcd(input, cachedOf, paused);
  const holds = [...input.holds, ...etcd.holds, ...paused.holds];
  const held = passedOver(holds);
  const allowed = desired.objects.filter(
    (target) =>
      isAllowed(target, input) &&
      isDue(target, { cached: cachedOf(target), states, held }) &&
      !paused.targets.has(target) &&
      !etcd.isUntouched(target) &&
      target.untouched !== true &&
      !isAwaiting(target, snapshot, cachedOf(target)),
  );
  const pruned = pruning(snapshot, desired, view);
  const removals = pruned.removals.filter(({ object }) => !isPaused(object));
  return {
    actions: [
      ...allowed.map((target) => applyOf(target, cachedOf(target))),
      ...(states.size === 0 ? [] : removals),
      ...etcd.actions,
    ],
    holds: [...holds, ...pruned.holds],
  };
}

interface EtcdPlan {
  readonly actions: readonly (RestartEtcdMember | ReplaceEtcdStorage)[];
  /** Whether an object is not written now: the StatefulSet, or all that belongs to etcd. */
  readonly isUntouched: (target: DesiredObject) => boolean;
  readonly holds: readonly Hold[];
}

/** What is done to an etcd of the instance's own, beside writing its StatefulSet. */
function planEtcd(input: PlanInput, cachedOf: CachedOf, paused: Pauses): EtcdPlan {
  const { snapshot, desired } = input;
  const wanted = desired.objects.find(isEtcdWorkload);
  if (wanted === undefined) return { actions: [], isUntouched: () => false, holds: [] };
  const split = splitHold(snapshot);
  if (split) return { actions: [], isUntouched: ({ step }) => step === 'etcd', holds: [split] };
  const isUntouched = (target: DesiredObject): boolean => target === wanted;
  // It stays as it is, or is not made, until more is known of its data.
  if (snapshot.etcdBirth?.isKept) return { actions: [], isUntouched, holds: [] };
  const statefulSet = cachedOf(wanted);
  const isStill = paused.targets.has(wanted);
  const replacement = isStill ? undefined : replacementOf(wanted, statefulSet, snapshot);
  if (replacement)
    return {
      actions: [{ kind: 'replaceEtcdStorage', replacement }],
      isUntouched,
      holds: replacement.holds,
    };
  const hold = statefulSet && changeHold(wanted, statefulSet, snapshot);
  if (hold) return { actions: [], isUntouched, holds: [hold] };
  const actions = isStill ? [] : restartOf(wanted, statefulSet, snapshot);
  return { actions, isUntouched: () => false, holds: [] };
}

const replacementOf = (
  wanted: DesiredObject,
  statefulSet: KubernetesObject | undefined,
  { karmada, host }: Snapshot,
): Replacement | undefined =>
  wanted.untouched
    ? undefined
    : storageReplacement(karmada.metadata.name, wanted, { ...host, statefulSet });

const changeHold = (
  wanted: DesiredObject,
  statefulSet: KubernetesObject,
  { karmada, host }: Snapshot,
): Hold | undefined =>
  hostPathHold(karmada, statefulSet, wanted) ?? templateHold(statefulSet, wanted, host.pods);

/** A pod that is made anew gets the template that is there then, which must not be the former one. */
function restartOf(
  { hash }: DesiredObject,
  live: KubernetesObject | undefined,
  { host, etcdBirth }: Snapshot,
): EtcdPlan['actions'] {
  if (live?.metadata.annotations?.[APPLIED_HASH] !== hash) return [];
  const isDue = membersToRestart(live, host.pods, etcdBirth).length > 0;
  return isDue ? [{ kind: 'restartEtcdMember', statefulSet: live }] : [];
}

/** While members are of several clusters nobody knows which data is the right one, so nothing of etcd is changed. */
function splitHold({ etcd }: Snapshot): Hold | undefined {
  return etcd?.splitBrain && { step: 'etcd', halts: true, ...etcd.splitBrain };
}

/** Whether the first API server has to wait for etcd: what it writes must not be lost with a member that starts anew. */
function isAwaiting(
  { step, object }: DesiredObject,
  { etcdBirth }: Snapshot,
  cached: KubernetesObject | undefined,
): boolean {
  if (step !== 'karmada-apiserver' || object.kind !== 'Deployment') return false;
  return cached === undefined && etcdBirth?.awaited !== undefined;
}

type CachedOf = (target: DesiredObject) => KubernetesObject | undefined;

interface Pauses {
  readonly targets: ReadonlySet<DesiredObject>;
  readonly holds: readonly Hold[];
}

/** Objects that somebody wants to be left alone, and which of them should become others. */
function pausesOf({ objects }: Desired, cachedOf: CachedOf): Pauses {
  const found = objects.flatMap((target) => {
    const cached = cachedOf(target);
    return cached && isPaused(cached) ? [{ target, hold: pauseHold(target, cached) }] : [];
  });
  return {
    targets: new Set(found.map(({ target }) => target)),
    holds: found.flatMap(({ hold }) => hold ?? []),
  };
}

function applyOf(target: DesiredObject, cached: KubernetesObject | undefined): Apply {
  return { kind: 'apply', target, ...(cached && { cached }) };
}

function isEtcdWorkload({ step, object }: DesiredObject): boolean {
  return step === 'etcd' && object.kind === 'StatefulSet';
}

/**
 * Whether an object may be written now: its step's dependencies are complete, and objects inside the
 * control plane need one that answers. A Service, a name, does no harm and may always be there first.
 */
function isAllowed(target: DesiredObject, input: PlanInput): boolean {
  const { step, place, object } = target;
  if (place === 'controlPlane') return isAllowedInside(target, input);
  if (object.kind === 'Service') return true;
  // Pods start to talk to the API server at once, and give up when they cannot.
  const serves = WITHOUT_API.has(step) || isServing('karmada-apiserver', input.states);
  return serves && openDependencies(step, input.states).length === 0;
}

function isAllowedInside(
  { step, atOnce }: DesiredObject,
  { states, snapshot, closed }: PlanInput,
): boolean {
  const { state, listens = false } = snapshot.controlPlane;
  if (state !== 'ready') return step === 'health' && listens && isFirstRollout(snapshot);
  if (atOnce) return true;
  if (closed?.has(step)) return false;
  const open = openDependencies(step, states);
  return isFirstRollout(snapshot) ? open.every(isAPIServer) : open.length === 0;
}

const WITHOUT_API: ReadonlySet<Step> = new Set(['etcd', 'karmada-apiserver']);

const isAPIServer = (step: Step): boolean => step === 'karmada-apiserver';

/**
 * Whether the API server answers for the first time: nothing depends on it yet, so what belongs inside
 * can go in before its pod counts as ready. In an upgrade it goes in when the rollout is complete.
 */
function isFirstRollout({ host }: Snapshot): boolean {
  const workload = host.objects.find(
    ({ kind, metadata }) =>
      kind === 'Deployment' && metadata.labels?.[COMPONENT] === 'karmada-apiserver',
  );
  return workload?.metadata.annotations?.[REVISION] === '1';
}

/** Annotation of the Deployment controller: counts the changes of the pod template. */
const REVISION = 'deployment.kubernetes.io/revision';

interface Due {
  readonly cached: KubernetesObject | undefined;
  readonly states: StepStates;
  /** Steps of which something is held back. */
  readonly held: ReadonlySet<string>;
}

/**
 * Whether it is the turn of an object. What is not there is made, and what somebody edited is set right, at any time;
 * but what has its turn in an upgrade gets another intent than before only when every earlier stage has taken up its own.
 */
function isDue(
  { step, object, hash, atOnce }: DesiredObject,
  { cached, states, held }: Due,
): boolean {
  const applied = cached?.metadata.annotations?.[APPLIED_HASH];
  const changes = applied !== undefined && applied !== hash;
  if (!changes || atOnce || !hasTurn(step) || isHarmless(object)) return true;
  return openStages(step, states, held).length === 0;
}

/** What selects pods and does nothing to them. */
const isHarmless = ({ kind }: KubernetesObject): boolean =>
  kind === 'Service' || kind === 'PodDisruptionBudget';
