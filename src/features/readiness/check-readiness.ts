/**
 * Functional checks of a control plane with requests that its users send. Writes nothing: the create request is a dry
 * run.
 */
import type { KarmadaStatus } from '../../api/karmada.ts';
import type { KubernetesClient, RawAnswer } from '../../kubernetes/client/client-interface.ts';
import { spread, type Clock, type Random } from '../../kubernetes/time/clock.ts';
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

type CheckClient = Pick<KubernetesClient, 'create' | 'raw'>;

export interface ReadinessCheckTools {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly random: Random;
}

/** Part of the cache of a control plane that the check uses. */
export interface CheckedInstance {
  /** Absent while there are no certificates. */
  readonly controlPlane?: Pick<ControlPlaneClient, 'calls'> & { readonly client: CheckClient };
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
    assessment: withFailedReadiness(assessment, failed ?? { sentences: [] }),
    ...(checked !== 'late' && { remember: { failedReadiness: checked } }),
  };
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
  { client, calls }: NonNullable<CheckedInstance['controlPlane']>,
  pods: string,
  last: FailedReadiness | undefined,
): Promise<FailedReadiness | undefined | 'late'> {
  if (!isReadinessCheckDue(last, pods, clock.monotonic())) return last;
  const before = failedAttemptsOf(last, pods);
  const check = (): Promise<ReadinessAnswers> => checkReadiness(client, checkTimeoutMs(before));
  const answers = await calls.run(readinessKey(pods), check, true);
  if (answers === 'late') return 'late';
  const sentences = failedReadinessChecks(answers.value);
  if (sentences.length === 0) return undefined;
  const failedAttempts = before + 1;
  const nextAt = clock.monotonic() + spread(retryAfterMs(failedAttempts), random);
  const problem = readinessProblem(answers.value);
  return { sentences, failedAttempts, nextAt, pods, ...(problem && { problem }) };
}

/**
 * Sends all check requests in parallel. Never rejects; errors are part of the result.
 * @param timeoutMs timeout of each request in milliseconds
 */
async function checkReadiness(client: CheckClient, timeoutMs: number): Promise<ReadinessAnswers> {
  const read = (path: string): Promise<RawAnswer | Error> =>
    client.raw(path, { timeoutMs }).catch(asError);
  const [policy, clusters, readyz] = await Promise.all([
    client.create(CONTRADICTORY_POLICY, { dryRun: true, timeoutMs }).then(
      () => undefined,
      (error: unknown) => error,
    ),
    read(CLUSTERS_PATH),
    read(READYZ_PATH),
  ]);
  return { policy, clusters, readyz };
}
