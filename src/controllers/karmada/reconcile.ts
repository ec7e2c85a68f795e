/** Reconcile function of the operator: selects what to do with one Karmada. */
import { ReportedError } from './reported-error.ts';
import type { Obstacle, PreflightResult, PreflightSubject } from '../../actions/preflight.ts';
import { newerOperatorProblem } from '../../api/features.ts';
import type { Karmada, KarmadaStatus } from '../../api/karmada.ts';
import { mismatchedTags } from '../../api/validation/version.ts';
import type { Reconcile, ReconcileResult } from '../../kubernetes/workqueue/worker.ts';
import { converge, type ConvergeTools } from './converge.ts';
import { PREFLIGHT_CHECKS } from './features.ts';
import { reconcileDeleted } from './reconcile-deleted.ts';
import { finalize } from './deletion/finalize.ts';
import { karmadaOf, ownedBy } from '../../host-clusters/host.ts';
import { isNamespaceEnding } from '../../host-clusters/namespace-ending.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import { presentSecretsOf } from '../../instance/present-secrets.ts';
import { instanceOn, stopPolling } from './instance-lifetime.ts';
import { storeDefaultsAndFinalizer } from './store-defaults.ts';
import { invalidSpec, refusalOf, TERMINATING, type Refusal } from './refusal.ts';
import {
  resolveHost,
  type HostResolutionTools,
} from '../../features/remote-host/host-resolution.ts';
import { CHECK_INTERVAL_MS } from './stale-watch-monitor.ts';
import { unobserved } from '../../features/status/watch-states.ts';
import {
  newerOperatorStatus,
  rejectedStatus,
  suspendedStatus,
  unobservedStatus,
} from '../../features/status/unreconciled-status.ts';
import { unreachedStatus } from '../../features/remote-host/unreached-status.ts';
import { currentStatus, type StatusTools } from '../../features/status/status-writer.ts';
import { reportStatus } from '../../features/status/report-status.ts';

export interface ReconcileTools extends Omit<ConvergeTools, 'host'>, HostResolutionTools {}

/** Creates the reconcile function. It does what is possible now and never blocks on other systems becoming ready. */
export function createReconcile(tools: ReconcileTools): Reconcile {
  return async (key) => {
    const cached = karmadaOf(tools.local, key);
    if (cached === undefined) {
      tools.hosts.leave(key);
      stopPolling(tools, key);
      await tools.instances.forget(key);
      return {};
    }
    const { namespace = '' } = cached.metadata;
    const cause = unobserved(tools.local, cached);
    if (cause !== undefined && !isIdle(cached)) {
      // It creates, changes and deletes nothing, not even for a deleted Karmada.
      const subject = { instance: tools.instances.get(key), karmada: cached };
      await report(tools, subject, (context) => unobservedStatus(cached, cause, context));
      return { requeueAfterMs: CHECK_INTERVAL_MS };
    }
    // Another reconcile follows when its objects are read.
    if (!tools.local.quota.isComplete(namespace)) return {};
    const newer = newerOperatorProblem(cached);
    if (newer !== undefined) {
      // It changes and deletes nothing, and a change of the annotation is an event.
      stopPolling(tools, key);
      const subject = { instance: tools.instances.get(key), karmada: cached };
      return report(tools, subject, (context) => newerOperatorStatus(cached, newer, context));
    }
    if (cached.metadata.deletionTimestamp !== undefined)
      return reconcileDeleted(tools, key, cached);
    if (await isNamespaceEnding(tools.local, namespace)) return reconcileEnding(tools, key, cached);
    return reconcileLiving(tools, key, cached);
  };
}

/** Whether the Karmada is suspended and not being deleted, so that the operator does nothing. */
const isIdle = ({ metadata, spec }: Karmada): boolean =>
  spec?.suspend === true && metadata.deletionTimestamp === undefined;

async function reconcileLiving(
  given: ReconcileTools,
  key: string,
  cached: Karmada,
): Promise<ReconcileResult> {
  const instance = given.instances.get(key);
  const refusal = refusalOf(given, cached);
  const suspended = cached.spec?.suspend === true;
  if (refusal !== undefined || suspended) stopPolling(given, key);
  const subject = { instance, karmada: cached };
  if (refusal !== undefined) return refuse(given, subject, refusal);
  if (suspended)
    return report(given, subject, ({ before, now }) => suspendedStatus(cached, before, now));
  const resolution = resolveHost(given, key, cached);
  if ('host' in resolution) return reconcileOn({ ...given, ...resolution }, key, cached);
  given.etcdMembers.forget(key);
  // An incomplete first check after an operator start does not change the status.
  const { phase } = currentStatus(instance, cached);
  if ('unread' in resolution && phase !== undefined) return {};
  const cause = 'unread' in resolution ? resolution.unread : resolution.problem;
  return report(given, subject, (context) => unreachedStatus(cached, cause, context));
}

async function reconcileOn(
  tools: ConvergeTools,
  key: string,
  cached: Karmada,
): Promise<ReconcileResult> {
  const instance = await instanceOn(tools, key);
  const subject = { instance, karmada: cached };
  const before = currentStatus(instance, cached);
  const { host, clock } = tools;
  const present = presentSecretsOf({ client: host.client, clock }, cached.metadata);
  const owned = ownedBy(host.owned, key);
  const found = await preflight(tools, { key, karmada: cached, before, owned, present });
  if (found !== undefined && 'status' in found) return reportObstacle(tools, subject, found);
  const karmada = await storeDefaultsAndFinalizer(tools, instance, cached);
  if (karmada === undefined) return {};
  recordUserChange(instance, cached, karmada);
  const contradictions = mismatchedTags(karmada.spec ?? {});
  if (contradictions.length > 0) {
    stopPolling(tools, key);
    return refuse(tools, { instance, karmada }, invalidSpec(contradictions));
  }
  return converge(tools, instance, karmada, found ?? { present });
}

/** Runs the preflight checks one after the other. @returns the first result */
async function preflight(
  tools: ConvergeTools,
  subject: PreflightSubject,
): Promise<PreflightResult> {
  for (const check of PREFLIGHT_CHECKS) {
    const found = await check(tools, subject);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Delay until the preflight checks are repeated if no event signals the end of an obstacle. */
const OBSTACLE_CHECK_MS = 10_000;

async function reportObstacle(
  tools: ConvergeTools,
  subject: Subject,
  { status, endsWithoutEvent }: Obstacle,
): Promise<ReconcileResult> {
  if (endsWithoutEvent) stopPolling(tools, subject.instance.key);
  await report(tools, subject, status);
  return endsWithoutEvent ? { requeueAfterMs: OBSTACLE_CHECK_MS } : {};
}

/** Records that a user changed the spec. Defaults stored by the operator do not count as a user change. */
function recordUserChange(instance: InstanceCache, cached: Karmada, prepared: Karmada): void {
  const { observedGeneration } = currentStatus(instance, cached);
  const changed = cached.metadata.generation !== observedGeneration;
  if (changed && observedGeneration !== undefined)
    instance.changedGeneration = prepared.metadata.generation;
}

/**
 * In a terminating Namespace the operator only deletes. Kubernetes deletes a Karmada there last and waits for all
 * Pods first. An API server that lost its etcd would use its whole grace period.
 */
async function reconcileEnding(
  tools: ReconcileTools,
  key: string,
  karmada: Karmada,
): Promise<ReconcileResult> {
  stopPolling(tools, key);
  await tools.instances.reset(key);
  await refuse(tools, { instance: tools.instances.get(key), karmada }, TERMINATING);
  const resolution = resolveHost(tools, key, karmada);
  if (!('host' in resolution)) return {};
  return finalize({ ...tools, host: resolution.host }, karmada).catch((error: unknown) => {
    throw new ReportedError(error);
  });
}

interface Subject {
  readonly instance: InstanceCache;
  readonly karmada: Karmada;
}

/** Reports why the operator does not reconcile a Karmada. @param next returns the status */
async function report(
  tools: StatusTools,
  { instance, karmada }: Subject,
  next: (context: { readonly before: KarmadaStatus; readonly now: number }) => KarmadaStatus,
): Promise<ReconcileResult> {
  const context = { before: currentStatus(instance, karmada), now: tools.clock.wall() };
  await reportStatus(tools, instance, karmada, next(context));
  return {};
}

const refuse = (
  tools: StatusTools,
  subject: Subject,
  { reason, message, phase }: Refusal,
): Promise<ReconcileResult> =>
  report(tools, subject, (context) =>
    rejectedStatus(subject.karmada, { reason, message }, { ...context, phase }),
  );
