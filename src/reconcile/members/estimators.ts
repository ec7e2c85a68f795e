/** Estimators of an instance: which there are to be, and what is said of them. Pure. */
import type { Problem } from '../../api/problem.ts';
import type { EstimatorTarget } from '../../components/component.ts';
import {
  ACCESS_HASH,
  CLUSTER_LABEL,
} from '../../components/karmada-scheduler-estimator/karmada-scheduler-estimator.ts';
import { byIdentity, type KubernetesObject } from '../../kubernetes/object.ts';
import type { ActOutcome } from '../outcome.ts';
import { CONDITION_TYPE } from '../status/condition-types.ts';
import type { Finding } from '../status/conditions.ts';
import type { Desired, DesiredObject } from '../desired.ts';
import { COMPONENT } from '../../api/labels.ts';
import { rolloutState } from '../rollout.ts';
import type { MembersSnapshot, Snapshot } from '../snapshot.ts';

const NAME = 'karmada-scheduler-estimator';

/** Whether it cannot be told which members there are. That none can be seen does not mean there are none. */
export function areUncertain({ state }: Pick<MembersSnapshot, 'state'>): boolean {
  return state === 'reading' || state === 'unknown';
}

/** Whether an object is part of an estimator. */
export function isEstimators({ metadata }: KubernetesObject): boolean {
  return metadata.labels?.[COMPONENT] === NAME;
}

/** Whether an object is a Secret with the way into a member. */
export function isAccessSecret(object: KubernetesObject): boolean {
  return (
    object.kind === 'Secret' &&
    isEstimators(object) &&
    object.metadata.labels?.[CLUSTER_LABEL] !== undefined
  );
}

/**
 * The members whose estimator can run: those to which there is an access, and of these, when the members
 * are known, just those that are wanted. What runs already counts as access: it stays while its Secret
 * is made anew.
 */
export function estimatorTargets({
  members,
  host,
}: Pick<Snapshot, 'members' | 'host'>): readonly EstimatorTarget[] {
  if (members.state === 'off') return [];
  const hashes = new Map<string, string>();
  // Secrets come last: theirs is the newest word.
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

function hashOf(object: KubernetesObject): string | undefined {
  if (object.metadata.deletionTimestamp !== undefined) return undefined;
  if (object.kind === 'Secret') return object.metadata.annotations?.[ACCESS_HASH];
  if (object.kind !== 'Deployment') return undefined;
  const { template } = (object['spec'] ?? {}) as {
    template?: { metadata?: { annotations?: Readonly<Record<string, string>> } };
  };
  return template?.metadata?.annotations?.[ACCESS_HASH];
}

/**
 * The condition about the estimators; none when the instance is to have none. It stands beside Ready and
 * is no part of it: without an estimator the scheduler goes by what the member itself reports.
 */
export function estimatorFindings(
  snapshot: Snapshot,
  desired: Desired | undefined,
  outcome: Pick<ActOutcome, 'problems'>,
): readonly Finding[] {
  const { members } = snapshot;
  const type = CONDITION_TYPE[NAME];
  if (members.state === 'off') return [];
  if (areUncertain(members)) {
    const message = `the members are not known, so their estimators stay as they are: ${members.message}`;
    return [{ type, status: 'Unknown', reason: 'MembersUnknown', message }];
  }
  const problems = problemsOf(snapshot, desired, outcome);
  const [first] = problems.values();
  if (first !== undefined) {
    const told = [...problems].map(([member, { message }]) => `member ${member}: ${message}`);
    return [{ type, status: 'False', reason: first.reason, message: told.join('; ') }];
  }
  const notes = [...members.notes].map(
    ([member, note]) =>
      `member ${member}: its estimator has the rights of the control plane: ${note}`,
  );
  const message = notes.join('; ');
  return members.members.length === 0
    ? [{ type, status: 'True', reason: 'NoMembers', message: 'there is no member in push mode' }]
    : [{ type, status: 'True', reason: 'Available', message }];
}

function problemsOf(
  { members, host }: Snapshot,
  desired: Desired | undefined,
  outcome: Pick<ActOutcome, 'problems'>,
): ReadonlyMap<string, Problem> {
  const problems = new Map(members.problems);
  const live = byIdentity(host.objects);
  const refused = outcome.problems.find(({ step }) => step === NAME);
  const workloads = workloadsOf(desired);
  for (const { name } of members.members) {
    if (problems.has(name)) continue;
    const wanted = workloads.get(name);
    const state = wanted && rolloutState(live.get(wanted.id), wanted.hash, 'its estimator');
    if (state?.state === 'complete') continue;
    const progress = state?.message ?? 'its access is being made';
    problems.set(name, refused ?? { reason: 'Progressing', message: progress });
  }
  return problems;
}

/** Wanted Deployments by member. */
function workloadsOf(desired: Desired | undefined): ReadonlyMap<string, DesiredObject> {
  const ours = (desired?.objects ?? []).filter(
    ({ step, object }) => step === NAME && object.kind === 'Deployment',
  );
  return new Map(ours.map((item) => [item.object.metadata.labels?.[CLUSTER_LABEL] ?? '', item]));
}
