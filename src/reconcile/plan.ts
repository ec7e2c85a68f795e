/**
 * Reconcile plan: which actions are allowed now, and which changes are blocked: pure. This module, `plan-etcd.ts` and
 * `plan-prune.ts` contain all ordering and safety rules of a control plane.
 */
import type { Step } from '../components/component.ts';
import { APPLIED_HASH } from '../kubernetes/compare.ts';
import { byIdentity, type KubernetesObject } from '../kubernetes/object.ts';
import type { Action, Apply } from './action.ts';
import type { DesiredObjects, DesiredObject } from './desired-objects.ts';
import { COMPONENT } from '../api/labels.ts';
import { nonBlockingSteps, type BlockedChange } from './blocked-change.ts';
import { isPaused, blockedByPause } from './pause.ts';
import { planEtcd, type CachedOf } from './etcd/etcd-actions.ts';
import { pruning } from './plan-prune.ts';
import type { CertificatesView, Snapshot } from './snapshot.ts';
import {
  isStaged,
  isServing,
  incompleteDependencies,
  incompleteStages,
  type StepStates,
} from './steps.ts';

export interface Plan {
  readonly actions: readonly Action[];
  /** Blocked changes. */
  readonly blockedChanges: readonly BlockedChange[];
}

export interface PlanInput {
  readonly snapshot: Snapshot;
  readonly desired: DesiredObjects;
  readonly states: StepStates;
  /** Changes that were blocked while the desired state was computed. */
  readonly blockedChanges: readonly BlockedChange[];
  /** Steps that would register a Service that is not reachable yet. */
  readonly closed?: ReadonlySet<Step>;
}

/** Plans the actions of one reconcile. */
export function planInstance(input: PlanInput, view: CertificatesView): Plan {
  const { snapshot, desired, states } = input;
  const live = {
    host: byIdentity(snapshot.host.objects),
    controlPlane: byIdentity(snapshot.controlPlane.objects),
  };
  const cachedOf: CachedOf = ({ cluster, id }) => live[cluster].get(id);
  const paused = pausesOf(desired, cachedOf);
  const etcd = planEtcd(input, cachedOf, paused.targets);
  const blockedChanges = [
    ...input.blockedChanges,
    ...etcd.blockedChanges,
    ...paused.blockedChanges,
  ];
  const blocked = nonBlockingSteps(blockedChanges);
  const allowed = desired.objects.filter(
    (target) =>
      isAllowed(target, input) &&
      isDue(target, { cached: cachedOf(target), states, blocked }) &&
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
      ...(states.size === 0 || snapshot.etcd?.splitBrain ? [] : removals),
      ...etcd.actions,
    ],
    blockedChanges: [...blockedChanges, ...pruned.blockedChanges],
  };
}

/** Whether the creation of a client of etcd must wait: an etcd member could still lose its writes. */
const isAwaiting = (
  { object }: DesiredObject,
  { etcdBirth }: Snapshot,
  cached: KubernetesObject | undefined,
): boolean =>
  object.kind === 'Deployment' && cached === undefined && etcdBirth?.awaited !== undefined;

interface Pauses {
  readonly targets: ReadonlySet<DesiredObject>;
  readonly blockedChanges: readonly BlockedChange[];
}

/** Objects with paused repair, and the blocked changes among them. */
function pausesOf({ objects }: DesiredObjects, cachedOf: CachedOf): Pauses {
  const found = objects.flatMap((target) => {
    const cached = cachedOf(target);
    return cached && isPaused(cached)
      ? [{ target, blockedChange: blockedByPause(target, cached) }]
      : [];
  });
  return {
    targets: new Set(found.map(({ target }) => target)),
    blockedChanges: found.flatMap(({ blockedChange }) => blockedChange ?? []),
  };
}

function applyOf(target: DesiredObject, cached: KubernetesObject | undefined): Apply {
  return { kind: 'apply', target, ...(cached && { cached }) };
}

/**
 * Whether the dependencies of an object allow a write. Objects in the Karmada API also need a ready API server. A
 * Service may always be created first, because it does not depend on anything.
 */
function isAllowed(target: DesiredObject, input: PlanInput): boolean {
  const { step, cluster, object } = target;
  if (cluster === 'controlPlane') return isAllowedInside(target, input);
  if (object.kind === 'Service') return true;
  // Most Pods connect to the API server at startup and exit if they cannot.
  const serves = WITHOUT_API.has(step) || isServing('karmada-apiserver', input.states);
  return serves && incompleteDependencies(step, input.states).length === 0;
}

function isAllowedInside(
  { step, ignoresOrder }: DesiredObject,
  { states, snapshot, closed }: PlanInput,
): boolean {
  const { state, listens = false } = snapshot.controlPlane;
  if (state !== 'ready') return step === 'health' && listens && isFirstRollout(snapshot);
  if (ignoresOrder) return true;
  if (closed?.has(step)) return false;
  const open = incompleteDependencies(step, states);
  return isFirstRollout(snapshot) ? open.every(isAPIServer) : open.length === 0;
}

const WITHOUT_API: ReadonlySet<Step> = new Set(['etcd', 'karmada-apiserver']);

const isAPIServer = (step: Step): boolean => step === 'karmada-apiserver';

/**
 * Whether this is the first rollout of the API server. Nothing depends on it yet, so objects in the Karmada API may
 * be written before its Pod is Ready. In an upgrade they wait for the complete rollout.
 */
function isFirstRollout({ host }: Snapshot): boolean {
  const workload = host.objects.find(
    ({ kind, metadata }) =>
      kind === 'Deployment' && metadata.labels?.[COMPONENT] === 'karmada-apiserver',
  );
  return workload?.metadata.annotations?.[REVISION] === '1';
}

/** Annotation of the Deployment controller: number of pod template changes. */
const REVISION = 'deployment.kubernetes.io/revision';

interface Due {
  readonly cached: KubernetesObject | undefined;
  readonly states: StepStates;
  /** Steps with a blocked change that does not delay later stages. */
  readonly blocked: ReadonlySet<string>;
}

/**
 * Whether the upgrade order allows a write. Missing objects and drift are repaired at once. A new intent of a staged
 * step waits until all earlier stages have applied theirs.
 */
function isDue(
  { step, object, hash, ignoresOrder }: DesiredObject,
  { cached, states, blocked }: Due,
): boolean {
  const applied = cached?.metadata.annotations?.[APPLIED_HASH];
  const changes = applied !== undefined && applied !== hash;
  if (!changes || ignoresOrder || !isStaged(step) || isHarmless(object)) return true;
  return incompleteStages(step, states, blocked).length === 0;
}

/** Kinds that select Pods without changing them. */
const isHarmless = ({ kind }: KubernetesObject): boolean =>
  kind === 'Service' || kind === 'PodDisruptionBudget';
