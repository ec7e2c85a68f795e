/**
 * Whether a member of etcd may be restarted, by what the members themselves have just answered: pure. That pods are ready,
 * as a cache has it, proves nothing: it may be a minute old, and the pods may be of several clusters.
 */
import { majorityOf, type EtcdView } from '../../etcd/view.ts';
import { nameOf, type KubernetesObject } from '../../kubernetes/object.ts';
import { isDown } from './member-pods.ts';

/** Why no member is restarted now. */
interface Refusal {
  readonly reason: 'SplitBrain' | 'EtcdUnobserved' | 'EtcdQuorumUnproven';
  readonly message: string;
}

export type RestartDecision = { readonly pod: KubernetesObject } | { readonly refusal: Refusal };

/**
 * @param candidates pods of which any one is to be restarted, in the order in which they would be; at least one
 * @param view what all members have just answered
 */
export function decideRestart(
  candidates: readonly [KubernetesObject, ...KubernetesObject[]],
  view: EtcdView,
): RestartDecision {
  if (view.splitBrain !== undefined) return { refusal: view.splitBrain };
  const [first, ...others] = inOrder(candidates, view.leader);
  const refusals = [first, ...others].map((pod) => ({ pod, refusal: refusalFor(pod, view) }));
  const allowed = refusals.find(({ refusal }) => refusal === undefined);
  if (allowed !== undefined) return { pod: allowed.pod };
  return { refusal: refusals[0]?.refusal ?? unproven(first, 'nothing is known') };
}

/** The leader last: calls that meet a change of leaders may fail, so there is but one. */
function inOrder(
  candidates: readonly [KubernetesObject, ...KubernetesObject[]],
  leader: string | undefined,
): readonly [KubernetesObject, ...KubernetesObject[]] {
  const leads = ({ metadata }: KubernetesObject): boolean => metadata.name === leader;
  const [first = candidates[0], ...others] = [
    ...candidates.filter((pod) => !leads(pod)),
    ...candidates.filter(leads),
  ];
  return [first, ...others];
}

function refusalFor(pod: KubernetesObject, view: EtcdView): Refusal | undefined {
  const { name } = pod.metadata;
  const answer = view.answers.find((item) => item.pod === name);
  // It does not run, as its node says, and it does not answer: it takes part in no quorum.
  if (answer === undefined && isDown(pod)) return undefined;
  if (answer === undefined) return unobserved(pod, view);
  const voters = view.members.filter(({ isLearner }) => !isLearner);
  const isVoter = voters.some(({ id }) => id === answer.memberId);
  const others = view.serving.filter((other) => other !== name);
  const rest = voters.length - (isVoter ? 1 : 0);
  // Of one or two voters none can be spared: their data outlives the pod, and service is interrupted.
  const needed = Math.min(majorityOf(voters.length), rest);
  if (voters.length > 0 && others.length >= needed && isSettled(name, isVoter, view))
    return undefined;
  return unproven(pod, `${othersText(others)}, ${needed} needed${silentText(view)}`);
}

/** A voter has to serve itself: one that is behind, or alone, is to be looked at before it is restarted. */
const isSettled = (name: string, isVoter: boolean, { serving }: EtcdView): boolean =>
  !isVoter || serving.includes(name);

const othersText = (others: readonly string[]): string =>
  others.length === 0 ? 'no other member serves' : `other members that serve: ${others.join(', ')}`;

const silentText = ({ silent }: EtcdView): string =>
  silent.map(({ pod, cause }) => `; ${pod}: ${cause}`).join('');

function unproven(pod: KubernetesObject, why: string): Refusal {
  return {
    reason: 'EtcdQuorumUnproven',
    message: `${nameOf(pod)}: the operator does not restart it to apply the changed template, as etcd's members do not show that they keep a quorum without it (${why}); the operator asks them again, see the logs of the members that do not serve`,
  };
}

function unobserved(pod: KubernetesObject, { silent }: EtcdView): Refusal {
  const { name } = pod.metadata;
  const cause = silent.find((item) => item.pod === name)?.cause ?? 'not asked';
  return {
    reason: 'EtcdUnobserved',
    message: `${nameOf(pod)}: the operator does not restart it to apply the changed template, as it cannot ask its member of etcd (${cause}); allow the operator to reach port 2379 of the pod`,
  };
}
