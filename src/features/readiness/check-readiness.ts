/**
 * Functional checks of a control plane with requests that its users send. Writes nothing: the create request is a dry
 * run.
 */
import type { KarmadaStatus } from '../../api/karmada.ts';
import type { KubernetesClient, RawAnswer } from '../../kubernetes/client/client-interface.ts';
import { spread, type Clock, type Random } from '../../kubernetes/time/clock.ts';
import { within } from '../../kubernetes/time/within.ts';
import { asError } from '../../kubernetes/objects/thrown.ts';
import type { ControlPlaneClient } from '../../control-plane-access/control-plane-client.ts';
import { podsDigest } from '../../control-plane-access/pods-digest.ts';
import {
  CLUSTERS_PATH,
  CONTRADICTORY_POLICY,
  READYZ_PATH,
  checkTimeoutMs,
  failedAttemptsOf,
  failedReadinessChecks,
  readinessProblem,
  isReadinessCheckDue,
  needsReadinessCheck,
  retryAfterMs,
  type FailedReadiness,
  type ReadinessAnswers,
} from '../../control-plane-access/readiness-gate.ts';
import type { MemoryChange } from '../../actions/round.ts';
import type { Assessment } from '../../actions/assessment.ts';
import { isComplete, withFailedReadiness } from '../../assessment/assessment.ts';
import type { ClusterWatch } from '../../member-clusters/cluster-watch.ts';
import { joinedClusters } from '../member-access/members.ts';

type CheckClient = Pick<KubernetesClient, 'create' | 'raw'>;

export interface ReadinessCheckTools {
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly random: Random;
}

type CheckedClusters = Pick<
  ClusterWatch,
  'firstList' | 'hasSynced' | 'problem' | 'clusters' | 'credentialExpiries'
>;

/** Part of the cache of a control plane that the check uses. */
export interface CheckedInstance {
  /** Absent while there are no certificates. */
  readonly controlPlane?: Pick<ControlPlaneClient, 'calls'> & {
    readonly client: CheckClient;
    readonly clusters?: CheckedClusters | undefined;
  };
  /** Last result; undefined if all checks passed or none has run. */
  readonly failedReadiness?: FailedReadiness | undefined;
}

interface Checked {
  readonly assessment: Assessment;
  readonly remember?: MemoryChange;
}

/**
 * Adds failed functional checks to the assessment. Checks a complete control plane before its status changes to ready,
 * and uses the last result until the next checks are due.
 * @param before status that was written last
 */
export async function withReadinessCheck(
  tools: ReadinessCheckTools,
  instance: CheckedInstance,
  assessment: Assessment,
  before: KarmadaStatus,
): Promise<Checked> {
  const { controlPlane, failedReadiness: last } = instance;
  const { karmada, host } = assessment.snapshot;
  const isNeeded =
    isComplete(assessment) && needsReadinessCheck(before, karmada.metadata.generation);
  if (controlPlane === undefined || !isNeeded) return { assessment };
  const checked = await checkUnlessFresh(tools, controlPlane, podsDigest(host.pods), last);
  const failed = checked === 'late' ? (last ?? { sentences: [AWAITED] }) : checked;
  return {
    assessment: failed
      ? withFailedReadiness(assessment, failed)
      : withMemberClusters(assessment, controlPlane.clusters),
    ...(checked !== 'late' && { remember: { failedReadiness: checked } }),
  };
}

/** Adds the member clusters that were read during the checks. Otherwise the status would be written again. */
function withMemberClusters(
  assessment: Assessment,
  watch: CheckedClusters | undefined,
): Assessment {
  const { snapshot } = assessment;
  const isKnown = watch?.hasSynced === true && watch.problem === undefined;
  if (!isKnown || snapshot.memberClusters !== undefined) return assessment;
  return { ...assessment, snapshot: { ...snapshot, memberClusters: joinedClusters(watch) } };
}

/** Key of the checks in the calls of a control plane. @param pods fingerprint of its Pods */
export const readinessKey = (pods: string): string => `readiness ${pods}`;

const AWAITED =
  'karmada-apiserver: the readiness check is in progress; the operator waits for the responses';

/**
 * Runs the functional checks, unless the last result is still valid. The checks may outlast the reconcile.
 * @returns undefined if all checks passed
 */
async function checkUnlessFresh(
  { clock, random }: ReadinessCheckTools,
  { client, calls, clusters }: NonNullable<CheckedInstance['controlPlane']>,
  pods: string,
  last: FailedReadiness | undefined,
): Promise<FailedReadiness | undefined | 'late'> {
  if (!isReadinessCheckDue(last, pods, clock.monotonic())) return last;
  const before = failedAttemptsOf(last, pods);
  const timeoutMs = checkTimeoutMs(before);
  // A later check sends a request of its own, because the connection of the list may be lost.
  const list = before === 0 ? clusters?.firstList : undefined;
  const check = (): Promise<ReadinessAnswers> =>
    checkReadiness(client, timeoutMs, isListed(clock, timeoutMs / 2, list));
  const answers = await calls.run(readinessKey(pods), check, true);
  if (answers === 'late') return 'late';
  const sentences = failedReadinessChecks(answers.value);
  if (sentences.length === 0) return undefined;
  const failedAttempts = before + 1;
  const nextAt = clock.monotonic() + spread(retryAfterMs(failedAttempts), random);
  const problem = readinessProblem(answers.value);
  return { sentences, failedAttempts, nextAt, pods, ...(problem && { problem }) };
}

/** Whether the first list of the Clusters succeeds within some time. It shows the same as a request for one of them. */
async function isListed(
  clock: Pick<Clock, 'after'>,
  ms: number,
  list: Promise<boolean> = Promise.resolve(false),
): Promise<boolean> {
  let succeeded = false;
  await within(
    clock,
    ms,
    list.then((result) => (succeeded = result)),
  );
  return succeeded;
}

const LISTED: RawAnswer = { status: 200, body: '' };

/**
 * Sends all check requests in parallel. Never rejects; errors are part of the result.
 * @param timeoutMs timeout of each request in milliseconds
 * @param listed whether the Clusters were just listed
 */
async function checkReadiness(
  client: CheckClient,
  timeoutMs: number,
  listed: Promise<boolean>,
): Promise<ReadinessAnswers> {
  const read = (path: string): Promise<RawAnswer | Error> =>
    client.raw(path, { timeoutMs }).catch(asError);
  const [policy, clusters, readyz] = await Promise.all([
    client.create(CONTRADICTORY_POLICY, { dryRun: true, timeoutMs }).then(
      () => undefined,
      (error: unknown) => error,
    ),
    listed.then((isDone) => (isDone ? LISTED : read(CLUSTERS_PATH))),
    read(READYZ_PATH),
  ]);
  return { policy, clusters, readyz };
}
