/**
 * Simulates the changes of a control plane with the planner of the operator (pure functions). Each round assumes that
 * the planned actions succeeded and plans again, until no action is left.
 */
import { ofKind, type Apply } from '../actions/action.ts';
import type { Step } from '../components/component.ts';
import { REVISION } from '../components/rollout.ts';
import { isWorkload } from '../components/workload.ts';
import { APPLIED_HASH, needsApply } from '../kubernetes/objects/compare.ts';
import { byIdentity, identity, type KubernetesObject } from '../kubernetes/objects/object.ts';
import { liveKey } from '../actions/execution-result.ts';
import type { DesiredObjects, DesiredObject } from '../instance/desired-objects.ts';
import type { TargetCluster } from '../control-plane-access/target-cluster.ts';
import { etcdPods } from '../etcd-cluster/pods/etcd-pods.ts';
import { planInstance } from '../features/components/plan.ts';
import type { Plan, StepStates } from '../actions/planner.ts';
import type { BlockedChange } from '../instance/blocked-change.ts';
import { withObjects } from '../instance/replace-objects.ts';
import type { CertificatesView, Snapshot } from '../instance/snapshot.ts';
import { isIncomplete, stepStates } from '../features/components/steps.ts';
import type { Waiting } from '../instance/waiting.ts';

export interface Change {
  readonly what: 'create' | 'change' | 'repair' | 'remove';
  readonly cluster: TargetCluster;
  /** Undefined for an object that is no longer desired, and for one that belongs to no step. */
  readonly step: Step | undefined;
  readonly object: KubernetesObject;
}

export interface PlanSimulation {
  /** Changes by round; the operator makes the changes of one round at the same time. */
  readonly rounds: readonly (readonly Change[])[];
  readonly blockedChanges: readonly BlockedChange[];
  /** Members that the operator adds to etcd or removes from it, one at a time. */
  readonly members?: readonly string[];
  /** Why steps are still incomplete after the last round, because others are. */
  readonly waiting: readonly Waiting[];
}

export interface ForecastInput {
  readonly snapshot: Snapshot;
  readonly desired: DesiredObjects;
  readonly view: CertificatesView;
  /** Blocked changes found while the desired state was computed. */
  readonly blockedChanges: readonly BlockedChange[];
}

/** Limit against an endless simulation: more rounds than steps mean that a step waits forever. */
const MAX_ROUNDS = 40;

/** Simulates all changes, in rounds. */
export function simulatePlan(input: ForecastInput): PlanSimulation {
  const rounds: (readonly Change[])[] = [];
  let { snapshot } = input;
  let plan = planOf(input, snapshot);
  const { blockedChanges } = plan;
  while (rounds.length < MAX_ROUNDS) {
    const changes = changesOf(plan);
    if (changes.length === 0) break;
    rounds.push(changes);
    snapshot = afterwards(snapshot, input.desired, changes);
    plan = planOf(input, snapshot);
  }
  return {
    rounds,
    blockedChanges: merged(blockedChanges, plan.blockedChanges),
    waiting: stillWaiting(plan, stepStates(input.desired, snapshot)),
  };
}

/** Reasons of incomplete steps that wait for others. Other reasons are blocked changes. */
const stillWaiting = ({ waiting = new Map() }: Plan, states: StepStates): readonly Waiting[] =>
  [...waiting]
    .filter(([step, { awaits }]) => isIncomplete(step, states) && awaits.length > 0)
    .map(([, reason]) => reason);

function planOf({ desired, view, blockedChanges }: ForecastInput, snapshot: Snapshot): Plan {
  const states = stepStates(desired, snapshot);
  return planInstance({ snapshot, desired, states, blockedChanges }, view);
}

/** Drops blocked changes that a later round resolves, such as objects that are deleted in a fixed order. */
function merged(
  first: readonly BlockedChange[],
  last: readonly BlockedChange[],
): readonly BlockedChange[] {
  const still = new Set(last.map(({ message }) => message));
  return first.filter(({ message }) => still.has(message));
}

function changesOf({ actions }: Plan): readonly Change[] {
  const replaced = ofKind(actions, 'replaceEtcdStorage').flatMap(({ replacement }) =>
    replacement.remove.map((object) => ({ cluster: 'host' as const, object })),
  );
  return [
    ...ofKind(actions, 'apply').flatMap(changeOf),
    ...[...ofKind(actions, 'remove'), ...replaced].map(({ cluster, object }) => ({
      what: 'remove' as const,
      cluster,
      step: undefined,
      object,
    })),
  ];
}

/** Returns the change that an apply makes; none if the object is as desired. */
export function changeOf({ target, cached }: Apply): readonly Change[] {
  const { cluster, step, object, hash } = target;
  if (cached === undefined) return [{ what: 'create', cluster, step, object }];
  const { intentChanged, drift } = needsApply(cached, comparable(target, cached), hash);
  if (intentChanged) return [{ what: 'change', cluster, step, object }];
  return drift.length > 0 ? [{ what: 'repair', cluster, step, object }] : [];
}

/** Object to compare for drift. A preview does not read the control plane, so there it compares only the intent. */
function comparable(
  { cluster, object }: DesiredObject,
  cached: KubernetesObject,
): KubernetesObject {
  return cluster === 'host' ? object : cached;
}

function afterwards(
  snapshot: Snapshot,
  desired: DesiredObjects,
  changes: readonly Change[],
): Snapshot {
  const targets = new Map(desired.objects.map((item) => [liveKey(item.cluster, item.id), item]));
  return withObjects(withoutStorage(snapshot, changes), (cluster, objects) => {
    const known = new Map(byIdentity(objects));
    for (const change of changes.filter((item) => item.cluster === cluster)) {
      const id = identity(change.object);
      const target = targets.get(liveKey(cluster, id));
      if (change.what === 'remove') known.delete(id);
      else if (target !== undefined) known.set(id, asReconciled(target));
    }
    return [...known.values()];
  });
}

/** Deleting a StatefulSet also deletes the Pods. PVCs are removed by separate changes. */
function withoutStorage(snapshot: Snapshot, changes: readonly Change[]): Snapshot {
  const gone = changes.filter(({ what }) => what === 'remove').map(({ object }) => object);
  const ids = new Set(gone.map(identity));
  const { host } = snapshot;
  const members = gone.some(({ kind }) => kind === 'StatefulSet') ? etcdPods(host.pods) : [];
  const pods = host.pods.filter((pod) => !members.includes(pod));
  const claims = host.claims.filter((claim) => !ids.has(identity(claim)));
  return { ...snapshot, host: { ...host, pods, claims } };
}

/** Returns the live object that results from a successful apply of a desired object. */
export function asReconciled({ object, hash }: DesiredObject): KubernetesObject {
  // Not revision 1, because the planner treats an API server with it as new.
  const annotations = { ...object.metadata.annotations, [APPLIED_HASH]: hash, [REVISION]: '2' };
  const metadata = { ...object.metadata, generation: 1, annotations };
  return { ...object, metadata, status: statusOf(object) };
}

function statusOf(object: KubernetesObject): object {
  const conditions = ['Established', 'Available'].map((type) => ({ type, status: 'True' }));
  if (!isWorkload(object)) return { conditions };
  const { replicas = 1 } = object.spec;
  const counts = { replicas, updatedReplicas: replicas, availableReplicas: replicas };
  return { observedGeneration: 1, ...counts };
}
