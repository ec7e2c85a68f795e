/** Reconciles one control plane: observe, compute the desired state, plan, execute, write the status. */
import type { LongResponses } from '../../kubernetes/long-responses.ts';
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
import type { Known } from '../../actions/round.ts';
import type { ExecutionResult } from '../../actions/execution-result.ts';
import {
  completesRelease,
  withNextReleases,
  type Assessment,
} from '../../features/assessment/assessment.ts';
import { assess } from './assess.ts';
import { Redactions } from '../../causes/redactions.ts';
import { readEventsInBackground, type EventTools } from '../../features/causes/observe-events.ts';
import { executeActions, type Executors } from '../../actions/execute-actions.ts';
import { preparingRounds, runRounds } from './rounds.ts';
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
import { withLateWrites } from '../../features/readiness/late-writes.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import type { Host, ManagementCluster } from '../../host-clusters/host.ts';
import { nextStatus, resultOf } from './result.ts';
import { observationAgeOf } from './observation-age.ts';
import { withProgress, type ProgressTools } from '../../features/progress/with-progress.ts';
import { msUntilDeadline } from '../../features/rollback/step-deadline.ts';
import { currentStatus, type StatusTools } from '../../features/status/status-writer.ts';
import { reportStatus } from '../../features/status/report-status.ts';
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
  readonly etcds: Pick<ExternalEtcds, 'of' | 'elderOf' | 'again' | 'forget'>;
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
  /** See `ClientOptions`. */
  readonly responses?: Pick<LongResponses, 'of'>;
}

/**
 * Reconciles one control plane and writes its status.
 * @param adoption rounds of actions before all others
 * @returns the delay until the next reconcile in milliseconds
 * @throws ReportedError for the first retryable error, which is also in the status
 */
export async function converge(
  tools: ConvergeTools,
  instance: InstanceCache,
  karmada: Karmada,
  adoption: readonly (readonly Action[])[] = [],
): Promise<ReconcileResult> {
  const known = await prepare(tools, instance, karmada, adoption);
  const before = currentStatus(instance, karmada);
  const { assessment, outcome } = await change(tools, instance, known, before);
  readEventsInBackground(tools, instance, assessment.snapshot);
  const age = observationAgeOf(tools, instance, assessment);
  const next = nextStatus(assessment, before, age, outcome);
  const statusDelayMs = await reportStatus(tools, instance, karmada, next);
  report(tools, instance, outcome);
  const { turn } = assessment.rollout;
  return resultOf({
    errors: outcome.errors,
    startsNext: next !== before && (turn === 'claim' || completesRelease(assessment)),
    statusDelayMs,
    requeueAfterMs: Math.min(
      requeueAfterMs(tools, instance, assessment, statusDelayMs),
      msUntilDeadline(next, karmada, tools.clock.wall()),
    ),
  });
}

/** Observes the control plane, and runs the rounds that the plan depends on. */
async function prepare(
  tools: ConvergeTools,
  instance: InstanceCache,
  karmada: Karmada,
  adoption: readonly (readonly Action[])[],
): Promise<Known> {
  const observation = await observe(tools, instance, karmada);
  startReading(instance, observation.snapshot);
  const executors = executorsFor(tools, instance, observation.snapshot);
  const input = { tools, executors, instance, random: tools.random };
  return runRounds(preparingRounds(tools.templates, adoption), input, observation);
}

interface Change {
  readonly assessment: Assessment;
  readonly outcome: ExecutionResult;
}

/** Decides about the control plane, executes the plan, and assesses the result. */
async function change(
  tools: ConvergeTools,
  instance: InstanceCache,
  { snapshot, view, certificateProblem }: Known,
  before: KarmadaStatus,
): Promise<Change> {
  const decision = decideAndRemember(tools, instance, { snapshot, view, before });
  const { desiredState, rollout, plan } = decision;
  observeMembersInBackground(tools, instance, snapshot);
  const outcome = await executeActions(writersOf(tools, instance, snapshot, before), plan.actions);
  const seen = assess({
    snapshot,
    rollout,
    view,
    outcome,
    redactions: (instance.redactions ??= new Redactions()),
    desired: desiredState?.desired,
    plan: withLastingBlocks(instance, plan, outcome, tools.clock.monotonic()),
    certificateProblem,
  });
  const checked = withNextReleases(await withReadinessCheck(tools, instance, seen, before));
  return { assessment: withProgress(tools, instance, checked, before), outcome };
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
    snapshot,
    view,
    reachability,
    rendered,
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
