/**
 * Gates: the conditions for a write of a desired object. The first gate that answers gives the reason why the operator
 * does not write the object now. Pure functions.
 */
import type { Problem } from '../../api/reasons/problem.ts';
import type { Step } from '../../components/component.ts';
import { isWorkload } from '../../components/workload.ts';
import { APPLIED_HASH } from '../../kubernetes/objects/compare.ts';
import { hasNamespace, nameOf, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { DesiredObject } from '../../instance/desired-objects.ts';
import { liveKey } from '../../actions/execution-result.ts';
import type { EtcdPlan } from '../etcd-plan/etcd-actions.ts';
import { isPaused, pausedWrite } from '../../instance/pause.ts';
import type { Waiting } from '../../instance/waiting.ts';
import { later, waitFor, type Gate, type GateInput } from './gate.ts';
import { incompleteDependencies, incompleteStages, isServing, isStaged } from './steps.ts';
import { returnsAfter } from './order.ts';
import { AWAITING_BACKUP, awaitedBackup } from '../../instance/upgrade-backup.ts';

/** Nothing is written to a split etcd, nor to an etcd whose change is blocked. */
const etcdChangeBlocked: Gate = (target, { etcd, snapshot }) => {
  if (!etcd.isUntouched(target)) return undefined;
  const { step, object } = target;
  const { reason, message } = causeOf(object, etcd, snapshot.etcdBootstrap);
  if (step === 'etcd') return { reason, message, awaits: [] };
  return { reason, message: `${step} waits for etcd: ${message}`, awaits: ['etcd'] };
};

function causeOf(
  object: KubernetesObject,
  etcd: EtcdPlan,
  bootstrap: GateInput['snapshot']['etcdBootstrap'],
): Problem {
  const { blockedChange, problem, recovery } = bootstrap ?? {};
  const recovering = recovery && later(`etcd is recovered from ${recovery.from}`);
  const cause = etcd.blockedChanges[0] ?? blockedChange ?? problem ?? recovering;
  return cause ?? unchangedEtcd(object, etcd);
}

const unchangedEtcd = (object: KubernetesObject, { actions }: EtcdPlan): Problem => {
  const texts = actions.flatMap(({ kind }) => UNCHANGED[kind] ?? []);
  const [text = 'not written until the operator knows the state of the etcd data'] = texts;
  return later(`${nameOf(object)}: ${text}`);
};

/** Why the StatefulSet is not written during an action on it. */
const UNCHANGED: Readonly<Partial<Record<EtcdPlan['actions'][number]['kind'], string>>> = {
  replaceEtcdStorage: 'recreated after its unused storage is deleted',
  growEtcdStorage: 'recreated after its PVCs are expanded; its Pods keep running',
};

const repairPaused: Gate = (target, { cached }) =>
  cached !== undefined && isPaused(cached)
    ? { ...pausedWrite(target, cached), awaits: [] }
    : undefined;

/** Workloads that wait for an operator rollout, and an etcd StatefulSet whose Pods are in an unknown revision. */
const leftUntouched: Gate = ({ untouched, object }) =>
  untouched === true ? later(`${nameOf(object)}: keeps its current spec`) : undefined;

/**
 * Nothing changes while the backup before an upgrade is taken. Missing objects and drift are repaired, in the running
 * versions.
 */
const backupAwaited: Gate = (target, { cached, snapshot }) => {
  const [awaited] = awaitedBackup(snapshot);
  if (awaited === undefined || !isStagedChange(target, cached)) return undefined;
  return {
    reason: AWAITING_BACKUP,
    message: `${target.step} waits: ${awaited.message}`,
    awaits: [],
  };
};

/** A client of etcd is not created while an etcd member could still lose its writes. */
const etcdUnconfirmed: Gate = ({ step, object }, { cached, snapshot }) => {
  const awaited = snapshot.etcdBootstrap?.awaited;
  return object.kind === 'Deployment' && cached === undefined && awaited !== undefined
    ? later(`${step} waits for ${awaited}`, ['etcd'])
    : undefined;
};

/** The health endpoints need their RBAC objects before the API server can report that it is ready. */
const apiUnavailable: Gate = ({ cluster, step }, { snapshot, isFirstRollout }) => {
  const { state, message, listens = false } = snapshot.controlPlane;
  if (cluster === 'host' || state === 'ready') return undefined;
  if (step === 'health' && listens && isFirstRollout) return undefined;
  return later(`${step} waits for the API server of the control plane: ${message}`, [
    'karmada-apiserver',
  ]);
};

const serviceUnreachable: Gate = ({ cluster, step, ignoresOrder }, { closed }) =>
  cluster === 'controlPlane' && !ignoresOrder && closed.has(step)
    ? later(`${step} waits until the Service address of its component is reachable`)
    : undefined;

/**
 * The upgrade order. Missing objects and drift are repaired at once. A new intent of a staged step waits until all
 * earlier stages have applied theirs. A rollback goes the other way.
 */
const otherStages: Gate = (target, { cached, states, nonBlocking, snapshot }) => {
  const { step } = target;
  if (!isStagedChange(target, cached)) return undefined;
  const awaits = snapshot.rollback
    ? returnsAfter(step, states, snapshot)
    : incompleteStages(step, states, nonBlocking);
  return waitFor(step, awaits);
};

/** Whether the write changes an object of an upgrade stage. An object without a hash, such as one of the Go operator, changes too. */
function isStagedChange(
  { step, object, hash, ignoresOrder }: DesiredObject,
  cached: KubernetesObject | undefined,
): boolean {
  const changes = cached !== undefined && cached.metadata.annotations?.[APPLIED_HASH] !== hash;
  return changes && ignoresOrder !== true && isStaged(step) && !isHarmless(object);
}

/** Kinds that select Pods without changing them. */
const isHarmless = ({ kind }: KubernetesObject): boolean =>
  kind === 'PodDisruptionBudget' || isFirst(kind);

/** Kinds that depend on nothing, and that Pods need as soon as they run. */
const isFirst = (kind: string): boolean => kind === 'Service' || kind === 'NetworkPolicy';

/**
 * Whether an object in the host cluster was deleted after its installation, or has the applied intent and at most drift. Its repair
 * waits for nothing in the control plane, whose API server may not answer.
 */
function isRepair(
  { cluster, id, hash }: DesiredObject,
  { cached, snapshot: { installed } }: Pick<GateInput, 'cached' | 'snapshot'>,
): boolean {
  if (cluster !== 'host') return false;
  if (cached === undefined) return installed?.has(liveKey(cluster, id)) === true;
  return cached.metadata.annotations?.[APPLIED_HASH] === hash;
}

/** The install order. */
const dependencies: Gate = (target, input) => {
  const { states, isFirstRollout, snapshot } = input;
  const { cluster, step, object, ignoresOrder } = target;
  const isInside = cluster === 'controlPlane';
  if (ignoresOrder || (!isInside && isFirst(object.kind))) return undefined;
  if (isRepair(target, input)) return undefined;
  const accepted = isInside && isFirstRollout ? 'karmada-apiserver' : undefined;
  const isRollback = snapshot.rollback !== undefined;
  const incomplete = incompleteDependencies(step, states, isRollback);
  const awaits = incomplete.filter((before) => before !== accepted);
  return waitFor(step, awaits);
};

/** Most Pods connect to the API server at startup and exit if they cannot. */
const apiServerNotServing: Gate = (target, input) => {
  const { cluster, step, object, ignoresOrder } = target;
  const isExempt = cluster === 'controlPlane' || ignoresOrder === true || isFirst(object.kind);
  return isExempt ||
    WITHOUT_API.has(step) ||
    isServing('karmada-apiserver', input.states) ||
    isRepair(target, input)
    ? undefined
    : waitFor(step, ['karmada-apiserver']);
};

const WITHOUT_API: ReadonlySet<Step> = new Set(['etcd', 'karmada-apiserver']);

/** A PodDisruptionBudget refers to the UID of its workload. */
const ownerMissing: Gate = ({ object }, { owners }) =>
  object.kind === 'PodDisruptionBudget' && !owners.has(object.metadata.name)
    ? later(`${nameOf(object)}: waits for its workload`)
    : undefined;

/** New Pods never run without the NetworkPolicies of their component. Those of a deleted workload return at once. */
const policyMissing: Gate = (target, input) => {
  const { step, object } = target;
  const isNew = input.cached === undefined && isWorkload(object) && !isRepair(target, input);
  return isNew && input.unprotected.has(step)
    ? later(`${nameOf(object)}: waits for its NetworkPolicy`)
    : undefined;
};

/** A Role follows its Namespace, which the same step creates. */
const namespaceMissing: Gate = ({ step, object }, { snapshot: { controlPlane } }) =>
  step === 'namespaces' && !hasNamespace(object, controlPlane.objects)
    ? later(`${nameOf(object)}: waits for its Namespace`)
    : undefined;

/** In order of precedence: data safety, pauses, order of writes. */
const GATES: readonly Gate[] = [
  etcdChangeBlocked,
  repairPaused,
  leftUntouched,
  backupAwaited,
  etcdUnconfirmed,
  apiUnavailable,
  serviceUnreachable,
  otherStages,
  dependencies,
  apiServerNotServing,
  ownerMissing,
  policyMissing,
  namespaceMissing,
];

/** Asks all gates. @returns the first reason, or undefined if the operator may write the object now */
export function waitingOf(target: DesiredObject, input: GateInput): Waiting | undefined {
  for (const gate of GATES) {
    const waiting = gate(target, input);
    if (waiting !== undefined) return waiting;
  }
  return undefined;
}
