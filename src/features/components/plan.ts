/**
 * Reconcile plan: which actions are allowed now, why other writes wait, and which changes are blocked: pure. This
 * module, `write-gates.ts`, `plan-prune.ts` and `etcd/etcd-actions.ts` contain all ordering and safety rules of a
 * control plane.
 */
import type { Step } from '../../components/component.ts';
import { APPLIED_HASH } from '../../kubernetes/objects/compare.ts';
import { byIdentity, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Apply } from '../../actions/action.ts';
import type { Plan, PlanInput } from '../../actions/planner.ts';
import type { DesiredObjects, DesiredObject } from '../../instance/desired-objects.ts';
import { COMPONENT } from '../../api/labels.ts';
import { nonBlockingSteps, type BlockedChange } from '../../instance/blocked-change.ts';
import { budgetOwners } from './disruption-budgets.ts';
import { isPaused, blockedByPause } from '../../instance/pause.ts';
import { planEtcd, type CachedOf } from '../etcd-plan/etcd-actions.ts';
import { pruning } from './plan-prune.ts';
import { appliedState, REVISION } from '../../components/rollout.ts';
import type { CertificatesView, Snapshot } from '../../instance/snapshot.ts';
import type { Waiting } from '../../instance/waiting.ts';
import { waitingOf } from './write-gates.ts';

/** Plans the actions of one reconcile. */
export function planInstance(input: PlanInput, view: CertificatesView): Plan {
  const { snapshot, desired } = input;
  const cachedOf = cacheOf(snapshot);
  const paused = pausesOf(desired, cachedOf);
  const etcd = planEtcd(input, cachedOf, paused.targets);
  const blockedChanges = [
    ...input.blockedChanges,
    ...etcd.blockedChanges,
    ...paused.blockedChanges,
  ];
  const context = {
    snapshot,
    states: input.states,
    etcd,
    closed: input.closed ?? new Set<Step>(),
    nonBlocking: nonBlockingSteps(blockedChanges),
    isFirstRollout: isFirstRollout(snapshot),
    owners: budgetOwners(snapshot),
    unprotected: unprotectedSteps(desired, cachedOf),
  };
  const writes = desired.objects.map((target): Write => {
    const cached = cachedOf(target);
    return { target, cached, waiting: waitingOf(target, { ...context, cached }) };
  });
  const pruned = pruning(snapshot, desired, view);
  return {
    actions: [
      ...writes.filter(({ waiting }) => waiting === undefined).map(applyOf),
      ...pruned.removals,
      ...etcd.actions,
    ],
    blockedChanges: [...blockedChanges, ...pruned.blockedChanges],
    waiting: waitingSteps(writes),
  };
}

function cacheOf({ host, controlPlane }: Snapshot): CachedOf {
  const live = { host: byIdentity(host.objects), controlPlane: byIdentity(controlPlane.objects) };
  return ({ cluster, id }) => live[cluster].get(id);
}

/** Write of a desired object, and why it waits. */
interface Write {
  readonly target: DesiredObject;
  readonly cached: KubernetesObject | undefined;
  readonly waiting: Waiting | undefined;
}

const applyOf = ({ target, cached }: Write): Apply => ({
  kind: 'apply',
  target,
  ...(cached && { cached }),
});

/** Returns one reason for each step: that of its first pending change, or else of its first object. */
function waitingSteps(writes: readonly Write[]): ReadonlyMap<Step, Waiting> {
  const changes = writes.filter(isPending);
  const found = new Map<Step, Waiting>();
  for (const { target, waiting } of [...changes, ...writes])
    if (waiting !== undefined && !found.has(target.step)) found.set(target.step, waiting);
  return found;
}

/** Whether the object does not exist as desired, apart from drift. */
const isPending = ({ target, cached }: Write): boolean =>
  appliedState(cached, target.hash, '').state !== 'complete';

/** Components with a NetworkPolicy that does not exist yet. */
const unprotectedSteps = ({ objects }: DesiredObjects, cachedOf: CachedOf): ReadonlySet<Step> =>
  new Set(
    objects
      .filter((one) => one.object.kind === 'NetworkPolicy' && cachedOf(one) === undefined)
      .map(({ step }) => step),
  );

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

/** Whether the API server runs with its first Pod template, and the operator created it. */
function isFirstRollout({ host }: Snapshot): boolean {
  const workload = host.objects.find(
    ({ kind, metadata }) =>
      kind === 'Deployment' && metadata.labels?.[COMPONENT] === 'karmada-apiserver',
  );
  const { [REVISION]: revision, [APPLIED_HASH]: applied } = workload?.metadata.annotations ?? {};
  return revision === '1' && applied !== undefined;
}
