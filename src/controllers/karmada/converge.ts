/** Reconciles one control plane: observe, compute the desired state, plan, execute, write the status. */
import type { TenantPods } from '../../components/pod-security.ts';
import type { PodSecurityLevel } from '../../host-clusters/host-namespace.ts';
import type { Archives } from '../../crd-archives/archives.ts';
import type { Karmada, KarmadaStatus } from '../../api/karmada.ts';
import type { SecretPolicy, SecretRefusal } from '../../api/secret-grant.ts';
import type { Templates } from '../../components/render.ts';
import type { ExternalEtcds } from '../../external-etcd/external-etcds.ts';
import type { AddressesOf } from '../../kubernetes/addresses.ts';
import type { CacheMemory } from '../../kubernetes/cache-quota/cache-memory.ts';
import type { Clock, Log, Random } from '../../kubernetes/clock.ts';
import type { ReconcileResult } from '../../kubernetes/worker.ts';
import type { Term } from '../../kubernetes/term.ts';
import type { KeyGenerator } from '../../pki/keys.ts';
import type { AdoptionTools } from '../../features/adoption/read-adoption.ts';
import type { Action } from '../../actions/action.ts';
import type { ExecutionResult } from '../../actions/execution-result.ts';
import {
  assess,
  completesRelease,
  withNextReleases,
  type Assessment,
} from '../../features/assessment/assessment.ts';
import { Redactions } from '../../causes/redactions.ts';
import { readEventsInBackground, type EventTools } from '../../features/causes/observe-events.ts';
import { executeActions, type Executors } from '../../actions/execute-actions.ts';
import { ensurePrerequisites } from './prerequisites.ts';
import { decide, type DecideInput, type Decision } from './decide.ts';
import {
  observeMembersInBackground,
  type EtcdMemberTools,
} from '../../features/etcd-members/etcd-members.ts';
import { withLastingBlocks } from './lasting-blocks.ts';
import type { InstanceCache, InstanceCaches } from '../../instance/instance-cache.ts';
import { requeueAfterMs } from './requeue.ts';
import { observe } from './observe.ts';
import { otherControlPlanes } from '../../features/operator-rollout/other-control-planes.ts';
import type { RolloutLimit, Sibling } from '../../features/operator-rollout/rollout-order.ts';
import { withReadinessCheck } from '../../features/readiness/check-readiness.ts';
import { executorsFor, type ExecutorTools } from './executors.ts';
import { awaitsOnlyWrites, withLateWrites } from '../../features/readiness/late-writes.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import type { Host, ManagementCluster } from '../../host-clusters/host.ts';
import { observationAgeOf } from './observation-age.ts';
import { withProgress, type ProgressTools } from '../../features/progress/with-progress.ts';
import {
  isBeforeFirstObservation,
  type ObservationAge,
} from '../../features/assessment/first-observation.ts';
import { statusOf } from './status/status.ts';
import { isBeforeObservedChange } from '../../features/assessment/unobserved-change.ts';
import { msUntilDeadline } from '../../features/rollback/step-deadline.ts';
import {
  currentStatus,
  writeStatus,
  type StatusTools,
} from '../../features/status/status-writer.ts';
import { BACKUP_STEP } from '../../instance/upgrade-backup.ts';

export interface ConvergeTools
  extends
    StatusTools,
    EtcdMemberTools,
    EventTools,
    ProgressTools,
    Pick<ExecutorTools, 'backupImage' | 'record' | 'onCalls'> {
  readonly local: ManagementCluster;
  /** Host cluster of the control plane. */
  readonly host: Host;
  readonly instances: InstanceCaches;
  readonly rolloutLimit: RolloutLimit;
  /** See `AdoptionTools`. */
  readonly ownLease?: AdoptionTools['ownLease'];
  readonly archives: Pick<Archives, 'of' | 'forget'>;
  readonly etcds: Pick<ExternalEtcds, 'of' | 'again' | 'forget'>;
  readonly secretPolicy: SecretPolicy;
  /** Reason why a new Karmada could not use the host cluster Secret that this Karmada uses. */
  readonly secretWarning?: SecretRefusal;
  /** Policy for addresses that a Karmada may reference. */
  readonly addresses: AddressesOf;
  /** Which Pods the operator creates. */
  readonly tenantPods: TenantPods;
  /** Level of namespaces in host clusters, if that in the management cluster has none. */
  readonly hostPodSecurity: PodSecurityLevel;
  readonly templates: Templates;
  readonly keys: KeyGenerator;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** User agent of requests to control planes. */
  readonly userAgent: string;
  /** Adds a Karmada (`namespace/name`) to the work queue. */
  readonly enqueue: (key: string) => void;
  /** See `ClientOptions`. */
  readonly term?: Term;
  /** Memory of all caches of the process. */
  readonly memory?: CacheMemory;
}

/**
 * Reconciles one control plane and writes its status.
 * @param adoption rounds of actions before all others
 * @returns the delay until the next reconcile in milliseconds, or the first retryable error, which is also in the
 *   status
 */
export async function converge(
  tools: ConvergeTools,
  instance: InstanceCache,
  karmada: Karmada,
  adoption: readonly (readonly Action[])[] = [],
): Promise<ReconcileResult> {
  const observation = await observe(tools, instance, karmada);
  startReading(instance, observation.snapshot);
  const first = { ...observation, adoption };
  const { snapshot, view, problem } = await ensurePrerequisites(tools, instance, first);
  const before = currentStatus(instance, karmada);
  const decision = decideAndRemember(tools, instance, { snapshot, view, before });
  const { desiredState, rollout, plan } = decision;
  observeMembersInBackground(tools, instance, snapshot);
  const outcome = await executeActions(writersOf(tools, instance, snapshot, before), plan.actions);
  const seen = assess({
    ...{ snapshot, rollout, view, outcome },
    redactions: (instance.redactions ??= new Redactions()),
    desired: desiredState?.desired,
    plan: withLastingBlocks(instance, plan, outcome, tools.clock.monotonic()),
    certificateProblem: problem,
  });
  const checked = withNextReleases(await withReadinessCheck(tools, instance, seen, before));
  const assessment = withProgress(tools, instance, checked, before);
  readEventsInBackground(tools, instance, assessment.snapshot);
  const age = observationAgeOf(tools, instance, assessment);
  const next = nextStatus(assessment, before, age, outcome);
  const statusDelayMs = await writeStatus(tools, instance, karmada, next);
  report(tools, instance, outcome);
  return resultOf({
    errors: outcome.errors,
    startsNext: next !== before && (rollout.turn === 'claim' || completesRelease(assessment)),
    statusDelayMs,
    requeueAfterMs: Math.min(
      requeueAfterMs(tools, instance, assessment, statusDelayMs),
      msUntilDeadline(next, karmada, tools.clock.wall()),
    ),
  });
}

/** A control plane that was Ready once does not delay the repair of its objects in the host cluster. */
function writersOf(
  tools: ConvergeTools,
  instance: InstanceCache,
  snapshot: Snapshot,
  before: KarmadaStatus,
): Executors {
  const executors = executorsFor(tools, instance, snapshot);
  const { calls } = instance.controlPlane ?? {};
  const isInstalled = calls !== undefined && before.secretRef !== undefined;
  return isInstalled ? withLateWrites(executors, calls) : executors;
}

/** Returns the status to write: the previous one until the first observation is complete. Pure function. */
export function nextStatus(
  assessment: Assessment,
  before: KarmadaStatus,
  age: ObservationAge,
  outcome: Pick<ExecutionResult, 'lateSteps'> = {},
): KarmadaStatus {
  const isKept =
    awaitsOnlyWrites(outcome, assessment, before) ||
    isBeforeFirstObservation(assessment, before, age) ||
    isBeforeObservedChange(assessment, before, age.unobservedMs);
  return isKept ? before : statusOf(assessment, before);
}

/** How a reconcile ended. All durations are in milliseconds. */
interface ReconcileEnd extends Pick<ExecutionResult, 'errors'> {
  /** The status announces the rollout of the Pods or the next release, which starts when the announcement is written. */
  readonly startsNext: boolean;
  /** Delay until the status may be written; 0 if it is written. */
  readonly statusDelayMs: number;
  /** Delay until the next reconcile that the state of the control plane needs. */
  readonly requeueAfterMs: number;
}

/** Returns the first retryable error, or the delay until the next reconcile. Pure function. */
export function resultOf({ errors, ...end }: ReconcileEnd): ReconcileResult {
  const [error] = errors;
  if (error !== undefined) return { error };
  if (end.startsNext) return { requeueAfterMs: Math.max(1, end.statusDelayMs) };
  return { requeueAfterMs: end.requeueAfterMs };
}

/** Starts the caches of a control plane whose API server is ready. */
function startReading({ controlPlane }: InstanceCache, { controlPlane: seen }: Snapshot): void {
  if (seen.isAnswering) controlPlane?.start();
}

/**
 * Decides, and stores in memory what the next decision needs. It waits for nothing, so that no two control planes
 * take the last place of a rollout.
 */
function decideAndRemember(
  { templates, rolloutLimit: limit, ...tools }: ConvergeTools,
  instance: InstanceCache,
  seen: { readonly before: KarmadaStatus } & Pick<DecideInput, 'snapshot' | 'view'>,
): Decision {
  const { snapshot, view, before } = seen;
  const { generation } = snapshot.karmada.metadata;
  const { reachability = new Map(), rendered } = instance;
  const isChanged = generation !== undefined && instance.changedGeneration === generation;
  const returns = snapshot.rollback !== undefined && before.upgrade?.phase !== 'RolledBack';
  const isRequested = isChanged || returns || isNext(before);
  const siblings = (): readonly Sibling[] => otherControlPlanes(tools, instance.key);
  const decision = decide(templates, {
    ...{ snapshot, view, reachability, rendered },
    rollout: { before, isRequested, siblings, limit },
  });
  instance.probes = decision.probes;
  instance.claims = decision.rollout.turn === 'claim';
  if (decision.desiredState !== undefined) instance.rendered = decision.desiredState.rendered;
  return decision;
}

/** Whether a user requested the upgrade that follows, or its first step, maybe before the operator started. */
const isNext = ({ upgrade }: KarmadaStatus): boolean =>
  upgrade !== undefined && (upgrade.phase === undefined || upgrade.step === BACKUP_STEP);

function report({ log }: ConvergeTools, instance: InstanceCache, outcome: ExecutionResult): void {
  if (outcome.writes === 0) return;
  log.info({ karmada: instance.key, objects: outcome.writes }, 'objects changed');
}
