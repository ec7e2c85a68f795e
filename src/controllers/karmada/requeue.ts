/** Requeue delay of a control plane when no watch event arrives: pure. */
import { spread, type Clock, type Random } from '../../kubernetes/clock.ts';
import type { Assessment } from '../../features/assessment/assessment.ts';
import { memberStep } from '../../features/etcd-members/read-facts.ts';
import { upkeepAfterMs } from '../../features/etcd-upkeep/plan-upkeep.ts';
import { awaitsFirstPods } from '../../features/etcd-bootstrap/missing-pods.ts';
import { readinessKey } from '../../features/readiness/check-readiness.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import { podsDigest } from '../../control-plane-access/pods-digest.ts';
import {
  CACHE_GRACE_MS,
  changedSecrets,
} from '../../features/certificates/observe-certificates.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { unreachableSteps } from '../../features/reachability/service-addresses.ts';
import { heldUpgrade } from '../../instance/upgrade-backup.ts';
import { msUntilConnectionRenewal } from '../../features/components/webhook-connection-drain.ts';

const RESYNC_MS = 600_000;
/** Requeue delay while a control plane is not ready. */
const UNREADY_MS = 15_000;
/**
 * Requeue delay while a control plane waits for its turn in a rollout. The end of another rollout also requeues it.
 */
const WAITING_MS = 60_000;
/** Delay until the next probe of a Service. No event signals that it becomes reachable. */
const PROBE_AGAIN_MS = 100;

/** Requeue delay while etcd data cannot be read or is terminating. No event signals the change. */
const EVIDENCE_AGAIN_MS = 1_000;
const FIRST_PODS_MS = 5_000;
/** Requeue delay while the members of an etcd change. A port-forward takes twice as long. */
const MEMBER_CHANGE_MS = 1_000;
/** Requeue delay while a required etcd member restart is blocked. */
const HELD_RESTART_MS = 3_000;

/** Returns the delay until the next reconcile without an event, in milliseconds. */
export function requeueAfterMs(
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  instance: InstanceCache,
  { snapshot, view, unfinished, rollout }: Assessment,
  statusLeft: number,
): number {
  const memo = instance.certificates;
  const secrets = snapshot.host.objects.filter(({ kind }) => kind === 'Secret');
  const unsure = memo !== undefined && changedSecrets(memo, secrets).length > 0;
  const candidates = [
    RESYNC_MS * (1 + random() / 5),
    ...(unfinished.length > 0 ? [UNREADY_MS] : []),
    ...(unfinished.some(({ step }) => step === 'serving')
      ? unserved(instance, snapshot, clock)
      : []),
    probeMs(instance),
    ...(view ? [Math.max(1_000, view.checkAt - clock.wall())] : []),
    unsure ? CACHE_GRACE_MS : Infinity,
    rollout.turn === 'wait' ? spread(WAITING_MS, random) : Infinity,
    ...(statusLeft > 0 ? [statusLeft] : []),
    msUntilConnectionRenewal(snapshot) ?? Infinity,
    heldRestartMs(instance),
    unsureBirthMs(snapshot),
    firstPodsMs(snapshot),
    memberChangeMs(snapshot),
    recoveryMs(snapshot),
    upkeepAfterMs(snapshot),
    blockedUpgradeMs(instance, snapshot),
  ];
  return Math.min(...candidates);
}

/** No event signals that a store or a schedule of backups is created, or that objects in the control plane change. */
function blockedUpgradeMs({ removedValues }: InstanceCache, snapshot: Snapshot): number {
  const isBlocked = heldUpgrade(snapshot) !== undefined || removedValues?.blocked !== undefined;
  return isBlocked ? UNREADY_MS : Infinity;
}

function probeMs({ probes = [], reachability = new Map() }: InstanceCache): number {
  if (unreachableSteps(probes, reachability).size === 0) return Infinity;
  return probes.some(({ step }) => !reachability.has(step)) ? 1 : PROBE_AGAIN_MS;
}

/** Delay until the next functional checks. The end of checks that are running is an event. */
function unserved(
  { failedReadiness: known, controlPlane }: InstanceCache,
  { host }: Snapshot,
  clock: Clock,
): readonly number[] {
  const isRunning = controlPlane?.calls.isRunning(readinessKey(podsDigest(host.pods))) === true;
  return known === undefined || isRunning ? [] : [Math.max(1, known.nextAt - clock.monotonic())];
}

const heldRestartMs = ({ restartHeldSince }: InstanceCache): number =>
  restartHeldSince === undefined ? Infinity : HELD_RESTART_MS;

const unsureBirthMs = ({ etcdBirth }: Snapshot): number =>
  etcdBirth?.isUnsure ? EVIDENCE_AGAIN_MS : Infinity;

/** No event signals the progress of a member that joins or leaves. */
function memberChangeMs(snapshot: Snapshot): number {
  const step = memberStep(snapshot);
  if (step.kind === 'none' || step.kind === 'blocked') return Infinity;
  if (step.kind === 'wait' && step.dueAt !== undefined)
    return Math.max(MEMBER_CHANGE_MS, step.dueAt - snapshot.now);
  return snapshot.remote === undefined ? MEMBER_CHANGE_MS : 2 * MEMBER_CHANGE_MS;
}

/** No event signals the progress of a restore. */
const recoveryMs = ({ etcdBirth }: Snapshot): number =>
  etcdBirth?.recovery === undefined ? Infinity : MEMBER_CHANGE_MS;

/** No event signals that Pods are not created. */
const firstPodsMs = (snapshot: Snapshot): number =>
  awaitsFirstPods(snapshot) ? FIRST_PODS_MS : Infinity;
