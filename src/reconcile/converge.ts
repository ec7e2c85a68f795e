/** Reconciles one control plane: observe, compute the desired state, plan, execute, write the status. */
import type { Archives } from '../crd-archives/archives.ts';
import type { Karmada, KarmadaStatus } from '../api/karmada.ts';
import type { SecretPolicy, SecretRefusal } from '../api/secret-grant.ts';
import type { Templates } from '../components/render.ts';
import type { ExternalEtcds } from '../external-etcd/external-etcds.ts';
import type { AddressPolicy } from '../kubernetes/addresses.ts';
import { spread, type Clock, type Log, type Random } from '../kubernetes/clock.ts';
import type { ReconcileResult } from '../kubernetes/worker.ts';
import type { KeyGenerator } from '../pki/keys.ts';
import type { ExecutionResult } from './execution-result.ts';
import { assess, isComplete, withFailedReadiness, type Assessment } from './status/assessment.ts';
import { executeActions } from './execute-actions.ts';
import { ensurePrerequisites } from './prerequisites.ts';
import type { ControlPlaneClient } from './control-plane-client.ts';
import { decide, type DecideInput, type Decision } from './decide.ts';
import { observeMembersInBackground, type EtcdMemberTools } from './etcd/etcd-members.ts';
import { withLastingBlocks } from './etcd/lasting-blocks.ts';
import type { InstanceCache, InstanceCaches, FailedReadiness } from './instance-cache.ts';
import { requeueAfterMs } from './requeue.ts';
import { observe } from './observe.ts';
import { otherControlPlanes } from './operator-rollout/other-control-planes.ts';
import type { RolloutLimit, Sibling } from './operator-rollout/rollout-order.ts';
import { checkReadiness } from './check-readiness.ts';
import { executorsFor } from './executors.ts';
import { podsDigest } from './pods-digest.ts';
import type { Snapshot } from './snapshot.ts';
import type { Host, ManagementCluster } from '../host-clusters/host.ts';
import {
  retryAfterMs,
  needsReadinessCheck,
  checkTimeoutMs,
  failedReadinessChecks,
} from './readiness-gate.ts';
import { observationAgeOf } from './observation-age.ts';
import { isBeforeFirstObservation } from './status/first-observation.ts';
import { statusOf } from './status/status.ts';
import { currentStatus, writeStatus, type StatusTools } from './status/status-writer.ts';

export interface ConvergeTools extends StatusTools, EtcdMemberTools {
  readonly local: ManagementCluster;
  /** Host cluster of the control plane. */
  readonly host: Host;
  readonly instances: InstanceCaches;
  readonly rolloutLimit: RolloutLimit;
  readonly archives: Pick<Archives, 'of' | 'forget'>;
  readonly etcds: Pick<ExternalEtcds, 'of' | 'again' | 'forget'>;
  readonly secretPolicy: SecretPolicy;
  /** Reason why a new Karmada could not use the host cluster Secret that this Karmada uses. */
  readonly secretWarning?: SecretRefusal;
  /** Policy for addresses that a Karmada may reference. */
  readonly addresses: AddressPolicy;
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
  readonly term?: AbortSignal;
}

/**
 * Reconciles one control plane and writes its status.
 * @returns the delay until the next reconcile in milliseconds, or the first retryable error, which is also in the
 *   status
 */
export async function converge(
  tools: ConvergeTools,
  instance: InstanceCache,
  karmada: Karmada,
): Promise<ReconcileResult> {
  const observation = await observe(tools, instance, karmada);
  startReading(instance, observation.snapshot);
  const { snapshot, view, problem } = await ensurePrerequisites(tools, instance, observation);
  const before = currentStatus(instance, karmada);
  const decision = decideAndRemember(tools, instance, { snapshot, view, before });
  const { desiredState, rollout, plan } = decision;
  observeMembersInBackground(tools, instance, snapshot);
  const outcome = await executeActions(executorsFor(tools, instance, snapshot), plan.actions);
  const seen = assess({
    snapshot,
    rollout,
    desired: desiredState?.desired,
    view,
    plan: withLastingBlocks(instance, plan, outcome, tools.clock.monotonic()),
    outcome,
    certificateProblem: problem,
  });
  const assessment = await shown(tools, instance, seen, before);
  const next = isBeforeFirstObservation(
    assessment,
    before,
    observationAgeOf(tools, instance, assessment.snapshot),
  )
    ? before
    : statusOf(assessment, before);
  const left = await writeStatus(tools, instance, karmada, next);
  report(tools, instance, outcome);
  const [error] = outcome.errors;
  if (error !== undefined) return { error };
  if (rollout.turn === 'claim' && next !== before) return { requeueAfterMs: Math.max(1, left) };
  return { requeueAfterMs: requeueAfterMs(tools, instance, assessment, left) };
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
  const isRequested = generation !== undefined && instance.changedGeneration === generation;
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

/**
 * Adds failed functional checks to the assessment. Checks a complete control plane before its status changes to
 * ready.
 */
async function shown(
  { clock, random }: Pick<ConvergeTools, 'clock' | 'random'>,
  instance: InstanceCache,
  seen: Assessment,
  before: KarmadaStatus,
): Promise<Assessment> {
  const { controlPlane } = instance;
  const { generation } = seen.snapshot.karmada.metadata;
  if (controlPlane === undefined || !isComplete(seen) || !needsReadinessCheck(before, generation))
    return seen;
  const pods = podsDigest(seen.snapshot.host.pods);
  instance.failedReadiness = await askUnserved(
    controlPlane,
    { clock, random, pods },
    instance.failedReadiness,
  );
  return withFailedReadiness(seen, instance.failedReadiness?.sentences ?? []);
}

/** Runs the functional checks, unless the last result is still valid. @returns undefined if all checks passed */
async function askUnserved(
  { client }: ControlPlaneClient,
  { clock, random, pods }: Pick<ConvergeTools, 'clock' | 'random'> & { readonly pods: string },
  last: FailedReadiness | undefined,
): Promise<FailedReadiness | undefined> {
  const known = last?.pods === pods ? last : undefined;
  if (known !== undefined && clock.monotonic() < known.nextAt) return known;
  const before = known?.failedAttempts ?? 0;
  const sentences = failedReadinessChecks(await checkReadiness(client, checkTimeoutMs(before)));
  if (sentences.length === 0) return undefined;
  const failedAttempts = before + 1;
  const nextAt = clock.monotonic() + spread(retryAfterMs(failedAttempts), random);
  return { sentences, failedAttempts, nextAt, pods };
}

function report({ log }: ConvergeTools, instance: InstanceCache, outcome: ExecutionResult): void {
  if (outcome.writes === 0) return;
  log.info({ karmada: instance.key, objects: outcome.writes }, 'objects changed');
}
