/**
 * Which actions are allowed now, and why every other one has to wait: pure. All ordering and all
 * safety of an instance live here, in `plan-etcd.ts` and in `plan-prune.ts`.
 */
import type { Step } from '../components/component.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { Desired, DesiredObject } from './desired.ts';
import { byIdentity, COMPONENT } from './objects.ts';
import { memberToRestart, templateHold } from './plan-etcd.ts';
import { pruning, type Removal } from './plan-prune.ts';
import type { CertificatesView, Snapshot } from './snapshot.ts';
import { isComponent, openDependencies, type StepStates } from './steps.ts';

/** A change that is not made now. */
export interface Hold {
  readonly step: Step | 'certificates' | 'prune';
  readonly reason: string;
  readonly message: string;
}

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
  const cachedOf = ({ place, id }: DesiredObject): KubernetesObject | undefined =>
    live[place].get(id);
  const statefulSet = desired.objects.find(isEtcdWorkload);
  const running = statefulSet && cachedOf(statefulSet);
  const frozen = statefulSet && running && templateHold(running, statefulSet, snapshot.host.pods);
  const allowed = desired.objects.filter(
    (target) =>
      isAllowed(target, input, cachedOf(target) !== undefined) &&
      !(frozen && target === statefulSet),
  );
  const pruned = pruning(snapshot, desired, view);
  const restart = memberToRestart(running, snapshot.host.pods);
  return {
    certificates: snapshot.certificates.state === 'due',
    applies: allowed.map((target) => withCached(target, cachedOf(target))),
    removals: states.size === 0 ? [] : pruned.removals,
    ...(restart && !frozen && { restart }),
    holds: [...input.holds, ...(frozen ? [frozen] : []), ...pruned.holds],
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
function isAllowed(target: DesiredObject, input: PlanInput, exists: boolean): boolean {
  const { step, place, object } = target;
  if (place === 'controlPlane') return isAllowedInside(step, input);
  if (object.kind === 'Service') return true;
  if (step === 'karmada-apiserver' && exists) return etcdSettled(input);
  // Pods start to talk to the API server at once, and give up when they cannot.
  const serves = input.states.get('karmada-apiserver')?.state === 'complete';
  return openDependencies(step, input.states).length === 0 && (serves || WITHOUT_API.has(step));
}

function isAllowedInside(step: Step, { states, snapshot, closed }: PlanInput): boolean {
  const { state, listens = false } = snapshot.controlPlane;
  if (state !== 'ready') return step === 'health' && listens && isFirstRollout(snapshot);
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

/** A running API server is changed only on a sound etcd; one that is created need not wait for it. */
function etcdSettled({ states, holds }: PlanInput): boolean {
  const etcd = states.get('etcd');
  return (
    etcd === undefined || etcd.state !== 'progressing' || holds.some(({ step }) => step === 'etcd')
  );
}

/** Steps that are neither complete nor begun, with what each waits for; for messages. */
export function waitingSteps(
  states: StepStates,
): readonly { readonly step: Step; readonly on: readonly Step[] }[] {
  return [...states]
    .filter(([step, { state }]) => isComponent(step) && state === 'missing')
    .map(([step]) => ({ step, on: openDependencies(step, states) }));
}
