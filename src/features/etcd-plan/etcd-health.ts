/** Health of a local etcd, from the answers of its members and from its Pods. Pure functions. */
import type { EtcdAlarm } from '../../etcd/messages.ts';
import { majorityOf, NOTHING_SEEN, votersOf, type EtcdView } from '../../etcd/view.ts';
import { firstBy } from '../../kubernetes/objects/first-by.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import {
  awaitsFirstQuery,
  etcdPods,
  respondedSince,
  serves,
} from '../../etcd-cluster/pods/etcd-pods.ts';
import { runningMembership } from '../etcd-storage/plan-etcd.ts';
import { recoveryText } from '../etcd-recovery/recovery-text.ts';
import type { EtcdHealth } from '../../instance/etcd-health.ts';
import type { Snapshot } from '../../instance/snapshot.ts';

/** Message while the operator has not queried the members yet. */
export const UNASKED = 'etcd: the operator has not checked its members yet';

type Seen = Pick<Snapshot, 'host' | 'spec' | 'etcd' | 'etcdHealth'> &
  Partial<Pick<Snapshot, 'karmada' | 'etcdBootstrap'>>;

/** Number of etcd members. The running StatefulSet counts, since a change of the spec may be blocked. */
function memberCount({ host, spec }: Seen): number {
  const workload = host.objects.find(({ kind }) => kind === 'StatefulSet');
  const running = runningMembership(workload)?.replicas;
  return running ?? spec.components.etcd.local?.replicas ?? 0;
}

/**
 * Returns the health of a local etcd. A Pod is ready only if its member has a quorum, but only the members know of
 * which cluster. While the operator cannot query the members, it uses the readiness of the Pods and says so.
 */
export const etcdHealth = (seen: Seen): EtcdHealth => seen.etcdHealth ?? deriveHealth(seen);

/** Derives the health once for all users of the snapshot. */
export const withEtcdHealth = <T extends Seen>(seen: T): T => ({
  ...seen,
  etcdHealth: deriveHealth(seen),
});

function deriveHealth(seen: Seen): EtcdHealth {
  const view = seen.etcd ?? NOTHING_SEEN;
  const wanted = memberCount(seen);
  if (view.splitBrain !== undefined)
    return { state: 'split', summary: `0/${wanted}`, message: view.splitBrain.message };
  const { ready, serving, wrong, usable, formerLearners } = countMembers(
    etcdPods(seen.host.pods),
    view,
  );
  const summary = `${usable}/${wanted}`;
  const voters = voterCount(view, formerLearners) ?? wanted;
  // A ready Pod that has not been queried since may be the one of a new voter, or of a removed member.
  const counted = `${Math.min(usable, voters)} of ${voters} members are healthy`;
  const answers = answersByPod(view);
  const faults = wrong.map((pod) => `${pod} ${faultOf(answers.get(pod))}`);
  const message = [counted, ...faults].join('; ');
  const alarm = alarmIn(view);
  if (alarm !== undefined) return { ...alarm, summary };
  const needed = majorityOf(voters);
  if (serving.length >= needed)
    return { state: wrong.length > 0 ? 'impaired' : 'quorum', summary, message };
  if (awaitsQuery(seen, view)) return { state: 'pending', summary, message: UNASKED };
  if (usable < needed || wanted === 0) return { summary, ...lossOf(seen, message) };
  return { state: 'unobserved', summary, message: unobserved(view, ready, wanted) };
}

/** Names of etcd Pods by the state of their members. */
interface MemberCount {
  readonly ready: readonly string[];
  /** Of healthy members. A response that is newer than the readiness of a Pod counts instead of it. */
  readonly serving: readonly string[];
  /** Ready, with an unhealthy member. */
  readonly wrong: readonly string[];
  /** That were learners when they were queried last, and are voters by now. */
  readonly formerLearners: ReadonlySet<string>;
  /** Number of members that are healthy, as far as the operator knows. */
  readonly usable: number;
}

function countMembers(pods: readonly Pod[], view: EtcdView): MemberCount {
  const ready = namesOf(pods.filter(serves));
  const hasResponded = respondedSince(view);
  const healthy = new Set(view.serving);
  const counted = namesOf(pods.filter((pod) => serves(pod) || hasResponded(pod)));
  const serving = counted.filter((name) => healthy.has(name));
  const formerLearners = formerLearnersIn(view, new Set(ready));
  const answers = answersByPod(view);
  const wrong = ready.filter(
    (pod) => answers.has(pod) && !healthy.has(pod) && !formerLearners.has(pod),
  );
  const usable = new Set([...ready, ...serving]).size - wrong.length;
  return { ready, serving, wrong, formerLearners, usable };
}

/** Learners that the member list has as voters, or whose Pods became ready since: the Pod of a learner is not ready. */
function formerLearnersIn(
  { answers, members }: EtcdView,
  ready: ReadonlySet<string>,
): ReadonlySet<string> {
  const voters = new Set(votersOf(members).map(({ pod }) => pod));
  const found = answers
    .filter(({ isLearner }) => isLearner)
    .filter(({ pod, podReady }) => voters.has(pod) || (podReady === false && ready.has(pod)));
  return new Set(found.map(({ pod }) => pod));
}

/**
 * Number of voters without those that were learners when they were queried last. Fewer than Pods while a member joins,
 * more while one leaves. Without a quorum the member list may be outdated.
 */
function voterCount(view: EtcdView, formerLearners: ReadonlySet<string>): number | undefined {
  const voters = votersOf(view.members).filter(
    ({ pod }) => pod === undefined || !formerLearners.has(pod),
  ).length;
  return voters > 0 && view.serving.length >= majorityOf(voters) ? voters : undefined;
}

/** Whether the next query decides. A ready Pod has a quorum, maybe one of fewer members than there are Pods. */
function awaitsQuery(seen: Seen, view: EtcdView): boolean {
  return awaitsFirstQuery(seen.host.pods, view) || isOutdated(seen, view);
}

/**
 * Whether Pods became ready or not ready after the members were queried, while members are added or removed. A removed
 * member ends before the others report that it has left.
 */
function isOutdated({ host, spec }: Seen, view: EtcdView): boolean {
  const { replicas } = spec.components.etcd.local ?? {};
  const voters = votersOf(view.members).length;
  if (voters === 0 || voters === replicas) return false;
  const results = firstBy([...view.answers, ...view.silent], ({ pod }) => pod);
  return etcdPods(host.pods).some((pod) => {
    const { podReady } = results.get(pod.metadata.name) ?? {};
    return podReady !== undefined && podReady !== serves(pod);
  });
}

/** State without a quorum: what the remaining members have, and how to continue. */
function lossOf(
  { etcdBootstrap, karmada }: Seen,
  message: string,
): Pick<EtcdHealth, 'state' | 'message'> {
  const isLost = etcdBootstrap?.problem?.reason === 'EtcdMemberLost';
  const { name = 'NAME', namespace = 'NAMESPACE' } = karmada?.metadata ?? {};
  const ways = recoveryText(etcdBootstrap ?? {}, { name, namespace }, isLost);
  return {
    state: isLost ? 'quorumLost' : 'noQuorum',
    message: ways === undefined ? message : `${message}; ${ways}`,
  };
}

/** Alarm of the cluster; corrupt data takes precedence. The message has no sizes, since they change all the time. */
function alarmIn(view: EtcdView): Pick<EtcdHealth, 'state' | 'message'> | undefined {
  const corrupt = raisedBy(view, 'CORRUPT');
  if (corrupt.length > 0)
    return {
      state: 'corrupt',
      message: `etcd: the data of ${corrupt.join(', ')} differs from that of the other members (alarm CORRUPT), so etcd rejects all requests; keep the volumes of all members, and see "Alarms of etcd" in docs/operate/troubleshoot.md`,
    };
  const full = raisedBy(view, 'NOSPACE');
  if (full.length === 0) return undefined;
  return {
    state: 'noSpace',
    message: `etcd: the database of ${full.join(', ')} has reached its quota (alarm NOSPACE), so etcd rejects writes until space is freed and the alarm is disarmed; see "Alarms of etcd" in docs/operate/troubleshoot.md`,
  };
}

/** Pods, or IDs, of the members that raised an alarm. */
function raisedBy({ answers, members }: EtcdView, kind: EtcdAlarm['alarm']): readonly string[] {
  const ids = answers.flatMap(({ alarms }) =>
    alarms.filter(({ alarm }) => alarm === kind).map(({ memberId }) => memberId),
  );
  const byId = firstBy(members, ({ id }) => id);
  const named = ids.map((id) => byId.get(id)?.pod ?? `member ${id}`);
  return [...new Set(named)].sort();
}

const namesOf = (pods: readonly Pod[]): readonly string[] =>
  pods.map(({ metadata }) => metadata.name).sort();

type Answer = EtcdView['answers'][number];

const answersByPod = ({ answers }: EtcdView): ReadonlyMap<string, Answer> =>
  firstBy(answers, ({ pod }) => pod);

function faultOf(answer: Answer | undefined): string {
  if (answer?.isLearner === true) return 'is a learner (non-voting member)';
  if (answer?.leaderId === '0') return 'has no leader';
  if (answer?.confirmed === false) return 'does not reach a quorum';
  if (answer?.errors.some((error) => error.includes('CORRUPT')) === true)
    return 'reports corrupt data';
  return 'follows a different leader than the other members';
}

function unobserved({ silent }: EtcdView, ready: readonly string[], wanted: number): string {
  const named = new Set(ready);
  const causes = silent
    .filter(({ pod }) => named.has(pod))
    .map(({ pod, cause }) => `${pod}: ${cause}`);
  return `etcd: the operator cannot query the members (${causes.join('; ')}); ${ready.length} of ${wanted} Pods are ready, and the operator restarts no member until it reaches port 2379 of these Pods; check the NetworkPolicies`;
}
