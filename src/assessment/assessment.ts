/** What is incomplete in a control plane, and what failed. Pure functions. */
import type { Assessment } from '../actions/assessment.ts';
import { liveKey, type ExecutionResult } from '../actions/execution-result.ts';
import { wantedVersions } from '../api/versions/wanted-versions.ts';
import type { FailedReadiness } from '../control-plane-access/readiness-gate.ts';
import { withObjects } from '../instance/replace-objects.ts';
import type { Snapshot } from '../instance/snapshot.ts';
import { identity, byIdentity } from '../kubernetes/objects/object.ts';

/** Reason of a reconcile in which API calls failed that the next reconcile retries. */
export const FAILED_CALL = 'Error';

/** Reasons of failed calls that the operator repeats. */
export const RETRIED: ReadonlySet<string> = new Set([
  FAILED_CALL,
  'UserWebhookFails',
  'WebhookRefusesObjects',
]);

/** Whether no step is incomplete, no problem was found and no change is blocked. */
export function isComplete({ unfinished, problem, blocked }: Assessment): boolean {
  return unfinished.length === 0 && problem === undefined && blocked === undefined;
}

/** Adds the messages of failed readiness checks to the assessment of a control plane with complete steps. */
export function withFailedReadiness(
  assessment: Assessment,
  { sentences, problem = assessment.problem }: Pick<FailedReadiness, 'sentences' | 'problem'>,
): Assessment {
  const unanswered = sentences.map((message) => ({ step: 'serving' as const, message }));
  return { ...assessment, problem, unfinished: [...assessment.unfinished, ...unanswered] };
}

/** Adds the Karmada releases that follow to the assessment: the control plane is not ready before the last one. */
export function withNextReleases(assessment: Assessment): Assessment {
  const { nextReleases = [], spec } = assessment.snapshot;
  if (nextReleases.length === 0) return assessment;
  const { karmada = '' } = wantedVersions(spec);
  const message = `upgrade of Karmada to ${karmada}; ${nextReleases.join(' and ')} follow`;
  const next = { step: 'next-release' as const, message };
  return { ...assessment, unfinished: [...assessment.unfinished, next] };
}

/** Whether a release on the way to the requested one is complete. */
export function completesRelease({
  unfinished,
  problem,
  blocked,
}: Pick<Assessment, 'unfinished' | 'problem' | 'blocked'>): boolean {
  const onlyNext = unfinished.length > 0 && unfinished.every(({ step }) => step === 'next-release');
  return onlyNext && problem === undefined && blocked === undefined;
}

/** Replaces cached objects of the snapshot by the responses of this reconcile's writes, which are newer. */
export function withExecutionResult(snapshot: Snapshot, outcome: ExecutionResult): Snapshot {
  return withObjects(snapshot, (cluster, objects) => {
    const known = new Map(byIdentity(objects));
    for (const [key, object] of outcome.live)
      if (key === liveKey(cluster, identity(object))) known.set(identity(object), object);
    return [...known.values()];
  });
}
