/**
 * Which actions are allowed now, and why every other one has to wait: pure. All ordering and all
 * safety of an instance live here, in `plan-etcd.ts` and in `plan-prune.ts`.
 */
import type { Step } from '../components/component.ts';
import { APPLIED_HASH } from '../kubernetes/compare.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { Desired, DesiredObject } from './desired.ts';
import { byIdentity, COMPONENT } from './objects.ts';
import { passedOver, type Hold } from './hold.ts';
import { isPaused, pauseHold } from './pause.ts';
import { memberToRestart, templateHold } from './etcd/plan-etcd.ts';
import { storageReplacement, type Replacement } from './etcd/plan-storage.ts';
import { pruning, type Removal } from './plan-prune.ts';
import type { CertificatesView, Snapshot } from './snapshot.ts';
import { hasTurn, isServing, openDependencies, openStages, type StepStates } from './steps.ts';

export interface Apply {
  readonly target: DesiredObject;
  /** What the cache has of it. */
  readonly cached?: KubernetesObject;
}

export interface Plan {
  /** Read the certificates and issue what lacks. */
  readonly certificates: boolean;
  readonly applies: readonly Apply[];
  readonly removals: readonly Removal[];
  /** A member of etcd to restart, so that it takes up its changed template. */
  readonly restart?: KubernetesObject;
  /** Storage of etcd to replace, as nothing was ever written to it. */
  readonly replacement?: Replacement;
  /** Changes that need more than time. */
  readonly holds: readonly Hold[];
}

export interface PlanInput {
  readonly snapshot: Snapshot;
  readonly desired: Desired;
  readonly states: StepStates;
  /** Holds found while the wish was made. */
  readonly holds: readonly Hold[];
  /** Name of the pod of etcd's leader, when it is known and matters. */
  readonly etcdLeader?: string;
  /** Steps that would route requests to where none arrives yet. */
  readonly closed?: ReadonlySet<Step>;
}

/** The plan of a pass that has no certificates to work with yet. */
export const CERTIFICATES_FIRST: Plan = {
  certificates: true,
  applies: [],
  removals: [],
  holds: [],
};

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
      target !== etcd.untouched,
  );
  const pruned = pruning(snapshot, desired, view);
  const removals = pruned.removals.filter(({ object }) => !isPaused(object));
  return {
    certificates: snapshot.certificates.state === 'due',
    applies: allowed.map((target) => withCached(target, cachedOf(target))),
    removals: states.size === 0 ? [] : removals,
    ...etcd.actions,
    holds: [...holds, ...pruned.holds],
  };
}

interface EtcdPlan {
  readonly actions: Pick<Plan, 'restart' | 'replacement'>;
  /** The StatefulSet, when it is not written now. */
  readonly untouched?: DesiredObject;
  readonly holds: readonly Hold[];
}

/** What is done to an etcd of the instance's own, beside writing its StatefulSet. */
function planEtcd(
  { snapshot, desired, etcdLeader }: PlanInput,
  cachedOf: CachedOf,
  paused: Pauses,
): EtcdPlan {
  const { karmada, host } = snapshot;
  const wanted = desired.objects.find(isEtcdWorkload);
  if (wanted === undefined) return { actions: {}, holds: [] };
  const statefulSet = cachedOf(wanted);
  const isStill = paused.targets.has(wanted);
  const remains = { ...host, statefulSet };
  const replacement = isStill
    ? undefined
    : storageReplacement(karmada.metadata.name, wanted, remains);
  if (replacement) return { actions: { replacement }, untouched: wanted, holds: replacement.holds };
  const hold = statefulSet && templateHold(statefulSet, wanted, host.pods);
  if (hold) return { actions: {}, untouched: wanted, holds: [hold] };
  const restart = isStill ? undefined : memberToRestart(statefulSet, host.pods, etcdLeader);
  return { actions: { ...(restart && { restart }) }, holds: [] };
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

function withCached(target: DesiredObject, cached: KubernetesObject | undefined): Apply {
  return { target, ...(cached && { cached }) };
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
