/** Determines the desired estimators of a control plane and the condition about them. Pure functions. */
import type { Deployment } from '../../kubernetes/objects/kinds.ts';
import { ifEnabled } from '../../api/addon.ts';
import type { Problem } from '../../api/reasons/problem.ts';
import { when, type Warning } from '../../api/warnings/warning.ts';
import type { EstimatorTarget } from '../../components/component.ts';
import {
  ACCESS_HASH,
  CLUSTER_LABEL,
} from '../../components/karmada-scheduler-estimator/karmada-scheduler-estimator.ts';
import { byIdentity, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import { MAX_ESTIMATORS } from '../../member-clusters/member-cluster.ts';
import type { ExecutionResult } from '../../actions/execution-result.ts';
import type { StatusInput } from '../../actions/feature.ts';
import { CONDITION_TYPE } from '../../conditions/condition-types.ts';
import type { ConditionDraft } from '../../conditions/conditions.ts';
import type { DesiredObjects, DesiredObject } from '../../instance/desired-objects.ts';
import { COMPONENT } from '../../api/labels.ts';
import { rolloutState } from '../../components/rollout.ts';
import type { MembersSnapshot, Snapshot } from '../../instance/snapshot.ts';

const NAME = 'karmada-scheduler-estimator';

/** Whether the list of member clusters is unknown. An unread list is not an empty one. */
export function areUncertain({ state }: Pick<MembersSnapshot, 'state'>): boolean {
  return state === 'reading' || state === 'unknown';
}

/** Whether an object belongs to an estimator. */
export function isEstimators({ metadata }: KubernetesObject): boolean {
  return metadata.labels?.[COMPONENT] === NAME;
}

/** Whether an object is a Secret with the credentials for a member cluster. */
export function isAccessSecret(object: KubernetesObject): boolean {
  return (
    object.kind === 'Secret' &&
    isEstimators(object) &&
    object.metadata.labels?.[CLUSTER_LABEL] !== undefined
  );
}

/** Returns the names of the member clusters for which the operator has created an estimator or its Secret. */
export const existingEstimators = (objects: readonly KubernetesObject[]): ReadonlySet<string> =>
  new Set(
    objects.filter(isEstimators).flatMap(({ metadata }) => metadata.labels?.[CLUSTER_LABEL] ?? []),
  );

/** Warning about estimators that exist above the maximum. They stay, because the operator created them. */
export function estimatorWarnings({
  members,
  spec,
}: Pick<Snapshot, 'members' | 'spec'>): readonly Warning[] {
  const { clusters = [] } = ifEnabled(spec.components.karmadaSchedulerEstimator) ?? {};
  const count = members.members.length;
  return when(
    members.state === 'known' && clusters.length === 0 && count > MAX_ESTIMATORS,
    'EstimatorLimitExceeded',
    `spec.components.karmadaSchedulerEstimator: ${count} member clusters have an estimator, which is more than the maximum of ${MAX_ESTIMATORS} for a spec that names none; the operator keeps them and creates no further ones; name the member clusters that need an estimator in clusters.`,
  );
}

/**
 * Returns the member clusters whose estimator can run: those with credentials that are also selected, if the list of
 * member clusters is known. A running estimator counts as well, so that it stays while its Secret is recreated.
 */
export function estimatorTargets({
  members,
  host,
}: Pick<Snapshot, 'members' | 'host'>): readonly EstimatorTarget[] {
  if (members.state === 'off') return [];
  const hashes = new Map<string, string>();
  // Secrets come last, because their hash is newer than that of a Deployment.
  for (const object of [...host.objects].sort(bySecrets)) {
    const cluster = object.metadata.labels?.[CLUSTER_LABEL];
    const hash = hashOf(object);
    if (isEstimators(object) && cluster !== undefined && hash !== undefined)
      hashes.set(cluster, hash);
  }
  const wanted = new Set(members.members.map(({ name }) => name));
  return [...hashes]
    .filter(([cluster]) => areUncertain(members) || wanted.has(cluster))
    .map(([cluster, accessHash]) => ({ cluster, accessHash }))
    .sort((one, other) => (one.cluster < other.cluster ? -1 : 1));
}

const bySecrets = (one: KubernetesObject, other: KubernetesObject): number =>
  Number(one.kind === 'Secret') - Number(other.kind === 'Secret');

function hashOf(object: Deployment): string | undefined {
  if (object.metadata.deletionTimestamp !== undefined) return undefined;
  if (object.kind === 'Secret') return object.metadata.annotations?.[ACCESS_HASH];
  if (object.kind !== 'Deployment') return undefined;
  const { template } = object.spec ?? {};
  return template?.metadata?.annotations?.[ACCESS_HASH];
}

/**
 * Returns the condition about the estimators; empty if they are disabled. The previous one stays until the operator
 * has read the member clusters. It does not affect Ready, because without an
 * estimator the scheduler uses the resource summary of the Cluster object.
 */
export function estimatorConditions({
  snapshot,
  desired,
  outcome,
  before,
}: Pick<StatusInput, 'snapshot' | 'desired' | 'outcome' | 'before'>): readonly ConditionDraft[] {
  const { members } = snapshot;
  const type = CONDITION_TYPE[NAME];
  if (members.state === 'off') return [];
  const said = before.conditions?.find((condition) => condition.type === type);
  if (members.state === 'reading' && said !== undefined) {
    const { status, reason, message } = said;
    return [{ type, status, reason, message }];
  }
  if (areUncertain(members)) {
    const message = `member clusters: not known (${members.message}); the operator does not change their estimators`;
    return [{ type, status: 'Unknown', reason: 'MembersUnknown', message }];
  }
  const problems = problemsOf(snapshot, desired, outcome);
  const [first] = problems.values();
  if (first !== undefined) {
    const reported = [...problems].map(
      ([member, { message }]) => `member cluster ${member}: ${message}`,
    );
    return [{ type, status: 'False', reason: first.reason, message: reported.join('; ') }];
  }
  const notes = [...members.notes].map(
    ([member, note]) =>
      `member cluster ${member}: the estimator uses the credentials of the Cluster object, with all their permissions: ${note}`,
  );
  const message = notes.join('; ');
  return members.members.length === 0
    ? [{ type, status: 'True', reason: 'NoMembers', message: 'no member cluster in push mode' }]
    : [{ type, status: 'True', reason: 'Available', message }];
}

function problemsOf(
  { members, host }: Snapshot,
  desired: DesiredObjects | undefined,
  outcome: Pick<ExecutionResult, 'problems'>,
): ReadonlyMap<string, Problem> {
  const problems = new Map(members.problems);
  const live = byIdentity(host.objects);
  const refused = outcome.problems.find(({ step }) => step === NAME);
  const workloads = workloadsOf(desired);
  for (const { name } of members.members) {
    if (problems.has(name)) continue;
    const wanted = workloads.get(name);
    const state = wanted && rolloutState(live.get(wanted.id), wanted.hash, 'the estimator');
    if (state?.state === 'complete') continue;
    const progress = state?.message ?? 'the operator is creating the access for the estimator';
    problems.set(name, refused ?? { reason: 'Progressing', message: progress });
  }
  return problems;
}

/** Desired Deployments by member cluster. */
function workloadsOf(desired: DesiredObjects | undefined): ReadonlyMap<string, DesiredObject> {
  const ours = (desired?.objects ?? []).filter(
    ({ step, object }) => step === NAME && object.kind === 'Deployment',
  );
  return new Map(ours.map((item) => [item.object.metadata.labels?.[CLUSTER_LABEL] ?? '', item]));
}
