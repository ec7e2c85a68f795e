/** Preview of changes of the etcd members: pure. The preview does not query the members and assumes healthy ones. */
import { mayAdoptEtcd } from '../api/validation/adopt-etcd.ts';
import type { EtcdView } from '../etcd/view.ts';
import type { BlockedChange } from '../instance/blocked-change.ts';
import { adoptedStep, hasGoTemplate } from '../features/adoption/adopted-etcd.ts';
import { peerURL, podName, type MemberFacts } from '../etcd-cluster/members/facts.ts';
import { NO_VOLUMES } from '../etcd-cluster/pods/defects.ts';
import { nextStep } from '../features/etcd-members/next-step.ts';
import { adoptedEtcdFacts } from '../features/etcd-members/adopt-etcd.ts';
import { adoptionSteps, stepLines } from '../features/etcd-members/adoption/steps.ts';
import { memberFacts } from '../features/etcd-members/member-facts.ts';
import { keepsData } from '../features/etcd-members/read-facts.ts';
import { etcdWorkload } from '../features/etcd-storage/plan-etcd.ts';
import type { Snapshot } from '../instance/snapshot.ts';
import { ordinalsBelow } from '../untrusted/ordinals.ts';

export interface MemberPreview {
  /** One line for each member that is added or removed, in order. */
  readonly lines: readonly string[];
  /** Refused change of the number of members. */
  readonly blockedChanges: readonly BlockedChange[];
  /** Spec with the present number of members. The operator changes members one by one besides all other changes. */
  readonly spec: Snapshot['spec'];
}

type Subject = Pick<Snapshot, 'karmada' | 'spec' | 'host'>;

/** Previews the change of the number of members. */
export function previewMembers(subject: Subject): MemberPreview {
  const { spec, host } = subject;
  const statefulSet = etcdWorkload(subject);
  const { local } = spec.components.etcd;
  if (statefulSet === undefined || local === undefined)
    return { lines: [], blockedChanges: [], spec };
  const { pods, claims } = host;
  const found = memberFacts(subject, {
    statefulSet,
    pods,
    claims,
    view: NOTHING,
    now: 0,
    volumes: NO_VOLUMES,
  });
  const facts = { ...found, ...ASSUMED, view: healthyView(found) };
  const isAdopted = hasGoTemplate(statefulSet);
  const isConfirmed = mayAdoptEtcd(subject.karmada.metadata);
  const step = isAdopted ? adoptedStep(statefulSet, spec) : nextStep(facts);
  const { components } = spec;
  const etcd = { local: { ...local, replicas: facts.replicas } };
  return {
    lines:
      facts.isAdopting === true
        ? isConfirmed
          ? stepLines(adoptionSteps(adoptedEtcdFacts(subject, statefulSet, found)))
          : []
        : step.kind === 'blocked'
          ? []
          : [...peerChange(facts, subject), ...changes(facts)],
    blockedChanges:
      step.kind === 'blocked' ? [{ step: 'etcd', reason: step.reason, message: step.message }] : [],
    spec: { ...spec, components: { ...components, etcd } },
  };
}

const ASSUMED = { isFormed: true, templateCanJoin: true, excludesUnready: true } as const;

const NOTHING: EtcdView = {
  answers: [],
  silent: [],
  unasked: [],
  clusters: [],
  members: [],
  serving: [],
  learners: [],
  quorum: false,
};

function healthyView(facts: MemberFacts): EtcdView {
  const members = ordinalsBelow(facts.replicas).map((ordinal) => {
    const name = podName(facts, ordinal);
    return { id: name, name, peerURLs: [peerURL(facts, ordinal)], isLearner: false, pod: name };
  });
  const serving = members.map(({ name }) => name);
  return { ...NOTHING, members, serving, quorum: true };
}

/** The operator moves all members to https on its own, whatever the change. */
const peerChange = ({ peers }: MemberFacts, subject: Subject): readonly string[] =>
  peers === 'http' && keepsData(subject)
    ? ['the members connect to each other with https instead of http; their Pods restart']
    : [];

function changes(facts: MemberFacts): readonly string[] {
  const { wanted, replicas, deletesClaims } = facts;
  const ordinals = ordinalsBelow(Math.max(wanted, replicas));
  const added = ordinals.filter((ordinal) => ordinal >= replicas);
  const removed = ordinals.filter((ordinal) => ordinal >= wanted).toReversed();
  const claim = deletesClaims ? 'deleted' : 'kept';
  return [
    ...added.map((ordinal) => `${podName(facts, ordinal)} joins, first without a vote`),
    ...removed.map(
      (ordinal) => `${podName(facts, ordinal)} leaves, then its Pod ends; its PVC is ${claim}`,
    ),
  ];
}
