/** Health of a control plane's own etcd: pure, from what its members answered and from its pods. */
import { majorityOf, NOTHING_SEEN, type EtcdView } from '../../etcd/view.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { membersOf, serves } from '../etcd/member-pods.ts';
import { runningMembership } from '../etcd/plan-etcd.ts';
import type { Snapshot } from '../snapshot.ts';

/** Said of an etcd whose members have not been asked yet. */
export const UNASKED = 'etcd: the operator has not asked its members yet';

export interface EtcdHealth {
  /**
   * `split`: members of several clusters; `quorum`: most members serve, `impaired`: and one that is ready does not;
   * `pending`: pods are ready and the members have not been asked yet; `unobserved`: the operator cannot ask them.
   */
  readonly state: 'split' | 'quorum' | 'impaired' | 'noQuorum' | 'pending' | 'unobserved';
  /** Members that serve, as far as is known, of members wanted, such as `3/3`. */
  readonly summary: string;
  readonly message: string;
}

type Seen = Pick<Snapshot, 'host' | 'spec' | 'etcd'>;

/** Members there are to be: what runs counts, as a change of the spec may be held back. */
function memberCount({ host, spec }: Seen): number {
  const workload = host.objects.find(({ kind }) => kind === 'StatefulSet');
  const running = runningMembership(workload)?.replicas;
  return running ?? spec.components.etcd.local?.replicas ?? 0;
}

/**
 * A pod is ready only when its member has a quorum, but a quorum of which cluster only the members can tell. While they
 * cannot be asked, the pods are the best there is, and that is said.
 */
export function etcdHealth(seen: Seen): EtcdHealth {
  const view = seen.etcd ?? NOTHING_SEEN;
  const wanted = memberCount(seen);
  if (view.splitBrain !== undefined)
    return { state: 'split', summary: `0/${wanted}`, message: view.splitBrain.message };
  const ready = namesOf(membersOf(seen.host.pods).filter(serves));
  const serving = ready.filter((pod) => view.serving.includes(pod));
  const wrong = ready.filter((pod) => !serving.includes(pod) && answerOf(view, pod));
  const usable = ready.length - wrong.length;
  const summary = `${usable}/${wanted}`;
  const counted = `${usable} of ${wanted} members serve`;
  const message = [counted, ...wrong.map((pod) => `${pod} ${faultOf(view, pod)}`)].join('; ');
  const needed = majorityOf(wanted);
  if (serving.length >= needed)
    return { state: wrong.length > 0 ? 'impaired' : 'quorum', summary, message };
  if (usable < needed || wanted === 0) return { state: 'noQuorum', summary, message };
  const isUnasked = ready.some((pod) => !isSilent(view, pod) && !answerOf(view, pod));
  if (isUnasked) return { state: 'pending', summary, message: UNASKED };
  return { state: 'unobserved', summary, message: unobserved(view, ready, wanted) };
}

const namesOf = (pods: readonly KubernetesObject[]): readonly string[] =>
  pods.map(({ metadata }) => metadata.name).sort();

const answerOf = ({ answers }: EtcdView, name: string): EtcdView['answers'][number] | undefined =>
  answers.find(({ pod }) => pod === name);

const isSilent = ({ silent }: EtcdView, name: string): boolean =>
  silent.some(({ pod }) => pod === name);

function faultOf(view: EtcdView, pod: string): string {
  const answer = answerOf(view, pod);
  if (answer?.isLearner === true) return 'is a learner, which does not serve yet';
  if (answer?.leaderId === '0') return 'knows of no leader';
  if (answer?.confirmed === false) return 'gets no answer from a quorum';
  if (answer?.errors.some((error) => error.includes('CORRUPT')) === true)
    return 'reports that its data is corrupt';
  return 'follows another leader than the others';
}

function unobserved({ silent }: EtcdView, ready: readonly string[], wanted: number): string {
  const causes = silent
    .filter(({ pod }) => ready.includes(pod))
    .map(({ pod, cause }) => `${pod}: ${cause}`);
  return `etcd: the operator cannot ask the members (${causes.join('; ')}); ${ready.length} of ${wanted} pods are ready, and no member is restarted until the operator reaches port 2379 of these pods, which a NetworkPolicy may forbid`;
}
