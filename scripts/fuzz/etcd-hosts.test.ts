/**
 * The time of each pure function that the objects of etcd members run through grows in proportion to their number. A host cluster may
 * report as many Pods, PVCs and Nodes as it likes, with any text in their fields.
 *
 * @size medium
 * @tier test
 */
import { describe, expect, it } from '@jest/globals';
import { anyClient } from '../../src/kubernetes/client/any-client.fixture.ts';
import { COMPONENT, INSTANCE } from '../../src/api/labels.ts';
import { answerOf, AT, podOf, silenceOf } from '../../src/etcd/__fixtures__/answers.ts';
import type { EtcdMemberStatus, EtcdResult } from '../../src/etcd/member-status.ts';
import { EtcdObserver, type ObservedPod } from '../../src/etcd/observer.ts';
import { etcdView, NOTHING_SEEN, type EtcdView } from '../../src/etcd/view.ts';
import { manualClock, memoryLog } from '../../src/kubernetes/time/clock.fixture.ts';
import { HOSTNAME } from '../../src/kubernetes/objects/node.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import {
  clusterIdentityOf,
  type ClusterIdentity,
} from '../../src/etcd-cluster/identity/cluster-identity.ts';
import { bornRecord } from '../../src/features/etcd-bootstrap/bootstrap.ts';
import type { EtcdRecord } from '../../src/etcd-cluster/identity/record.ts';
import { missingClaimAnnotations } from '../../src/etcd-cluster/identity/claim-annotations.ts';
import { dataLossOf } from '../../src/etcd-cluster/identity/data-loss.ts';
import { restartsOf } from '../../src/etcd-cluster/pods/etcd-pods.ts';
import {
  claimAt,
  desiredSet,
  nameOf,
  podAt,
  RECORD,
  setIn,
  snapshotWith,
} from '../../src/etcd-cluster/members/__fixtures__/objects.ts';
import { factsWith } from '../../src/etcd-cluster/members/__fixtures__/facts.ts';
import type { MemberClaim, MemberFacts, MemberPod } from '../../src/etcd-cluster/members/facts.ts';
import { membershipOf } from '../../src/etcd-cluster/pods/membership.ts';
import {
  AUTOMATIC_ANNOTATION,
  requestedRecovery,
} from '../../src/etcd-cluster/recovery/request.ts';
import { nextStep } from '../../src/features/etcd-members/next-step.ts';
import { memberFacts } from '../../src/features/etcd-members/member-facts.ts';
import { nodesNamedIn, readVolumes } from '../../src/etcd-cluster/pods/read-volumes.ts';
import { reportedPods } from '../../src/features/etcd-members/reported-pods.ts';
import { volumeNodes } from '../../src/etcd-cluster/storage/volume-nodes.ts';
import { storageReplacement } from '../../src/features/etcd-storage/plan-storage.ts';
import { decideRestart } from '../../src/etcd-cluster/pods/restart-decision.ts';
import { silentMembers } from '../../src/features/etcd-members/silent-members.ts';
import type { Snapshot } from '../../src/instance/snapshot.ts';
import { etcdHealth } from '../../src/features/etcd-plan/etcd-health.ts';
import { etcdClusterStatus } from '../../src/features/etcd-plan/etcd-cluster-status.ts';
import { growthOf, LARGEST_GROWTH } from './growth.ts';

/** Number of objects of each kind. */
const COUNT = 4_000;

const SNAPSHOT = snapshotWith();
const SET = setIn(SNAPSHOT);
const POD = podAt(0);
const SINCE = { status: 'False', lastTransitionTime: '2026-11-01T10:00:00Z' };
const CRASHED = {
  conditions: [{ type: 'Ready', ...SINCE }],
  containerStatuses: [{ restartCount: 5, state: { waiting: { reason: 'CrashLoopBackOff' } } }],
};
const UNSCHEDULED = { conditions: [{ type: 'PodScheduled', ...SINCE }] };

interface Host {
  readonly pods: readonly KubernetesObject[];
  readonly claims: readonly KubernetesObject[];
  readonly volume: KubernetesObject;
  readonly nodes: readonly KubernetesObject[];
}

const namesOf = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `n${String(index)}`);

/** Pods in this state, the PVC of each one, and one volume that all Nodes can mount. */
function hostWith(count: number, status: object, claim: object): Host {
  const ordinals = Array.from({ length: count }, (_, index) => index);
  const pods = ordinals.map((ordinal) => {
    const metadata = { ...POD.metadata, name: nameOf(ordinal), uid: `p-${String(ordinal)}` };
    return { ...POD, status, metadata };
  });
  const labels = { [INSTANCE]: 'karmada-demo', [COMPONENT]: 'etcd' };
  const claims = ordinals.map((ordinal) =>
    claimAt(ordinal, { ...claim, metadata: { annotations: {}, labels } }),
  );
  const values = namesOf(count);
  const nodeSelectorTerms = [{ matchExpressions: [{ key: HOSTNAME, operator: 'In', values }] }];
  const volume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'pv' },
    spec: { nodeAffinity: { required: { nodeSelectorTerms } } },
  };
  const nodes = values.map((name) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { [HOSTNAME]: name } },
    status: { conditions: [{ type: 'Ready', status: 'False' }] },
  }));
  return { pods, claims: claims.toReversed(), volume, nodes };
}

const BOUND = { spec: { volumeName: 'pv' } };
const PENDING = { spec: { storageClassName: 'typo' }, status: { phase: 'Pending' } };

const down = (count: number): Host => hostWith(count, CRASHED, BOUND);
const unscheduled = (count: number): Host => hostWith(count, UNSCHEDULED, PENDING);

const agreed = (pods: readonly KubernetesObject[]): ClusterIdentity => ({
  kind: 'agreed',
  clusterID: RECORD.clusterID ?? '',
  members: pods.length,
  pods: pods.map(({ metadata }) => metadata.name),
});

const clientWith = (volume: KubernetesObject): Parameters<typeof readVolumes>[0] =>
  anyClient({ list: async () => ({ resourceVersion: '1', items: [volume] }) });

type Stage<T> = readonly [(count: number) => T, (input: T) => unknown];

const factsIn = ({ pods, claims }: Host, volumes: object): unknown =>
  memberFacts(SNAPSHOT, {
    statefulSet: SET,
    pods,
    claims,
    view: NOTHING_SEEN,
    now: 0,
    volumes: { volumes: [], nodes: [], ...volumes },
  });

const STAGES: Readonly<Record<string, Stage<Host>>> = {
  'facts of members': [down, (host) => factsIn(host, {})],
  'facts of members with one volume': [
    down,
    (host) => factsIn(host, { volumes: [host.volume], nodes: host.nodes }),
  ],
  'lost data': [
    down,
    ({ pods: members, claims }) =>
      dataLossOf({ live: SET, record: RECORD, members, claims, hasQuorum: true }),
  ],
  'record of a cluster': [
    down,
    ({ pods: members, claims }) => {
      const context = { ca: 'a1', token: 't', storage: 'volumeClaim', claims } as const;
      return bornRecord({ record: undefined, members, clusterIdentity: agreed(members) }, context);
    },
  ],
  'annotations of PVCs': [
    down,
    ({ pods: members, claims }) => {
      const seen = { live: SET, record: RECORD, members, clusterIdentity: agreed(members) };
      return missingClaimAnnotations('karmada-demo', claims, {
        ...seen,
        hasServed: true,
        ca: 'a1',
      });
    },
  ],
  'replacement of unbound PVCs': [
    unscheduled,
    ({ pods, claims }) => {
      const spec = { storageClassName: 'fast' };
      const wanted = desiredSet({ local: { volumeData: { volumeClaim: { spec } } } });
      return storageReplacement('karmada-demo', wanted, { statefulSet: SET, pods, claims });
    },
  ],
  'volumes of members': [
    down,
    (host) => readVolumes(clientWith(host.volume), host, nodesNamedIn(host.nodes)),
  ],
  'nodes of a volume': [down, ({ volume, nodes }) => volumeNodes(volume, nodes)],
};

interface Etcd {
  readonly pods: readonly KubernetesObject[];
  readonly results: readonly EtcdResult[];
  readonly view: EtcdView;
}

/** Most results of the same etcd have this member. */
const SAME = 'ff';
const DOMAIN = 'karmada-demo-etcd.team.svc.cluster.local';

/** Entry of a member list. Only a member without a name may respond at the address of any Pod. */
const listed = (
  ordinal: number,
  id: string,
  name: string,
): EtcdMemberStatus['members'][number] => ({
  id,
  name,
  isLearner: false,
  peerURLs: [`https://${nameOf(ordinal)}.${DOMAIN}:2380`],
});

interface Etcds {
  /** Result of each Pod. */
  readonly resultOf: (ordinal: number, count: number) => EtcdResult;
  readonly status?: object;
}

function etcdWith(count: number, { resultOf, status }: Etcds): Etcd {
  const ordinals = Array.from({ length: count }, (_, ordinal) => ordinal);
  const pods = ordinals.map((ordinal) => {
    const metadata = { ...POD.metadata, name: nameOf(ordinal), uid: podOf(nameOf(ordinal)).uid };
    return { ...POD, metadata, ...(status && { status }) };
  });
  const results = ordinals.map((ordinal) => resultOf(ordinal, count));
  const view = etcdView(results, ordinals.map(nameOf).map(podOf), AT);
  return { pods, results, view };
}

/** All Pods respond as one member; the first of them lists as many members as there are Pods. */
function sameMember(ordinal: number, count: number): EtcdMemberStatus {
  const others = Array.from({ length: ordinal === 0 ? count - 1 : 0 }, (_, index) =>
    listed(index, index.toString(16).padStart(4, '0'), nameOf(index)),
  );
  return answerOf(nameOf(ordinal), [], {
    at: AT,
    memberId: SAME,
    leaderId: SAME,
    members: [listed(count - 1, SAME, ''), ...others],
    raftIndex: ordinal === 0 ? '9999999' : '1',
  });
}

/** Each Pod responds as another member, in a term of its own; only the first one lists members. */
function ownMember(ordinal: number, count: number): EtcdMemberStatus {
  const ids = Array.from({ length: ordinal === 0 ? count : 0 }, (_, index) => index.toString(16));
  return answerOf(nameOf(ordinal), [], {
    at: AT,
    memberId: ordinal.toString(16),
    leaderId: ordinal.toString(16),
    term: String(ordinal),
    confirmed: ordinal === 0,
    members: ids.map((id, index) => listed(index, id, nameOf(index))),
  });
}

const sameLearner = (ordinal: number, count: number): EtcdMemberStatus => ({
  ...sameMember(ordinal, count),
  isLearner: true,
  podReady: false,
});

const silent = (ordinal: number): EtcdResult => ({
  ...silenceOf(nameOf(ordinal)),
  respondedAt: AT - 1_000,
});

const of =
  (resultOf: Etcds['resultOf'], status?: object) =>
  (count: number): Etcd =>
    etcdWith(count, { resultOf, ...(status && { status }) });

const same = of(sameMember);
const own = of(ownMember);
const mixed = (ordinal: number, count: number): EtcdResult =>
  ordinal === 0 ? sameMember(0, count) : silent(ordinal);

/** The only member that is listed, and silent ones. */
const single = (ordinal: number): EtcdResult =>
  ordinal === 0 ? sameMember(0, 1) : silent(ordinal);

const hostWithPods = ({ pods }: Etcd): Snapshot['host'] => ({ ...SNAPSHOT.host, pods });
const seenBy = (etcd: Etcd): Snapshot => ({
  ...SNAPSHOT,
  host: hostWithPods(etcd),
  etcd: etcd.view,
});

const viewOf = ({ results, pods }: Etcd): unknown =>
  etcdView(
    results,
    pods.map(({ metadata: { name } }) => podOf(name)),
    AT,
  );
const healthOf = (etcd: Etcd): unknown => etcdHealth(seenBy(etcd));
const statusOf = ({ view }: Etcd): unknown => {
  const seen = { spec: SNAPSHOT.spec, now: AT, etcd: view };
  const before = etcdClusterStatus(seen, undefined);
  return etcdClusterStatus({ ...seen, etcd: { ...view, quorum: false } }, before);
};

const VIEWS: Readonly<Record<string, Stage<Etcd>>> = {
  'view of Pods with the same member': [same, viewOf],
  'view of Pods with members of their own': [own, viewOf],
  'view of silent members': [of(silent), viewOf],
  'health of Pods with the same member': [same, healthOf],
  'health of Pods with members of their own': [own, healthOf],
  'health of learners': [of(sameLearner), healthOf],
  'health of learners that are not ready': [of(sameLearner, CRASHED), healthOf],
  'health of silent members': [of(mixed), healthOf],
  'health of members that are not ready': [of(sameMember, CRASHED), healthOf],
  'status of listed members': [same, statusOf],
  'status of members with responses of their own': [own, statusOf],
  'status of silent members': [of(mixed), statusOf],
  'silent members': [of(single), (etcd) => silentMembers(seenBy(etcd))],
  'restart of a member': [
    of(ownMember),
    ({ pods: [first, ...others], view }) => first && decideRestart([first, ...others], view),
  ],
  'restart of Pods with the same member': [
    same,
    ({ pods: [first, ...others], view }) =>
      first && decideRestart([first, ...others], view, 'http'),
  ],
  'Pods with expected failures': [of(sameLearner, CRASHED), (etcd) => reportedPods(seenBy(etcd))],
  'clusterIdentity of members': [
    own,
    ({ view, pods }) => {
      const names = pods.map(({ metadata }) => metadata.name);
      return clusterIdentityOf({ ...view, quorum: true }, { names, isRecorded: false });
    },
  ],
};

/** Facts of many Pods of three members. */
function factsOf(count: number, pod: Partial<MemberPod>, claim: Partial<MemberClaim>): MemberFacts {
  const { pods, claims, ...facts } = factsWith();
  const [firstPod, firstClaim] = [pods[0], claims[0]];
  if (firstPod === undefined || firstClaim === undefined) throw new Error('no member');
  const ordinals = Array.from({ length: count }, (_, ordinal) => ordinal);
  return {
    ...facts,
    pods: ordinals.map((ordinal) => ({ ...firstPod, ...pod, ordinal })),
    claims: ordinals.map((ordinal) => ({ ...firstClaim, ...claim, ordinal: count - 1 - ordinal })),
  };
}

/** Facts of as many members as there are Pods. @param names of the members in the list */
function memberFactsOf(count: number, pod: Partial<MemberPod>, nameIn = nameOf): MemberFacts {
  const facts = factsOf(count, pod, {});
  const { statefulSet } = facts;
  const members = facts.pods.map(({ ordinal }) => ({
    id: ordinal.toString(16),
    name: nameIn(ordinal),
    isLearner: false,
    peerURLs: [`https://${statefulSet}-${String(ordinal)}.${facts.domain}:2380`],
  }));
  const serving = members.map((_, ordinal) => `${statefulSet}-${String(ordinal)}`).toReversed();
  const view = { ...facts.view, members, serving };
  return { ...facts, wanted: count, replicas: count, view };
}

const RULES: Readonly<Record<string, Stage<MemberFacts>>> = {
  'members that run': [(count) => memberFactsOf(count, {}), nextStep],
  'members that leave': [(count) => ({ ...memberFactsOf(count, {}), wanted: 3 }), nextStep],
  'members that are down': [
    (count) => {
      const facts = memberFactsOf(count, { downSince: AT });
      return { ...facts, view: { ...facts.view, serving: [] } };
    },
    nextStep,
  ],
  'members with permission to join': [
    (count) => memberFactsOf(count, { join: 'x' }, () => ''),
    nextStep,
  ],
  'members that listen to http': [
    (count) => {
      const facts = memberFactsOf(count, {});
      const members = facts.view.members.map((member) => ({
        ...member,
        peerURLs: member.peerURLs.flatMap((url) => [url, url.replace('https', 'http')]),
      }));
      return { ...facts, view: { ...facts.view, members } };
    },
    nextStep,
  ],
  'PVCs of Pods that run': [(count) => factsOf(2 * count, {}, { content: 'unknown' }), nextStep],
  'PVCs of removed members': [
    (count) => ({ ...factsOf(2 * count, {}, { content: 'thisCluster' }), deletesClaims: true }),
    nextStep,
  ],
};

/** A record with as many holders of data as there are Pods, none of which is one of them. */
const recordOf = (count: number): EtcdRecord => ({
  ...RECORD,
  members: count,
  data: Array.from({ length: count }, (_, index) => `other-${String(index)}`),
});

interface Recorded extends Host {
  readonly record: EtcdRecord;
}

const recorded = (count: number): Recorded => ({ ...down(count), record: recordOf(count) });
const unstamped = (claims: readonly KubernetesObject[]): readonly KubernetesObject[] =>
  claims.map((claim) => ({ ...claim, metadata: { ...claim.metadata, annotations: {} } }));

const RECORDS: Readonly<Record<string, Stage<Recorded>>> = {
  'holders of lost data': [
    recorded,
    ({ record, pods: members, claims }) =>
      dataLossOf({ live: SET, record, members, claims: unstamped(claims), hasQuorum: true }),
  ],
  'holders of data, and PVCs': [
    recorded,
    ({ record, claims }) =>
      requestedRecovery({
        annotations: { [AUTOMATIC_ANNOTATION]: 'Automatic' },
        record,
        claims: unstamped(claims),
        view: NOTHING_SEEN,
      }),
  ],
};

/** Probes of Pods whose members do not respond, until their results are kept, and some more. */
const PROBES: Stage<readonly ObservedPod[]> = [
  (count) =>
    Array.from({ length: count }, (_, ordinal) => ({
      ...podOf(nameOf(ordinal)),
      ready: true,
      identity: '10.0.0.1',
      timeoutMs: 1_000,
      target: { dial: () => Promise.reject(new Error('not dialed here')) },
    })),
  async (pods) => {
    const clock = manualClock();
    const observer = new EtcdObserver({
      clock,
      log: memoryLog(),
      random: () => 0.5,
      onChange: () => undefined,
      ask: async ({ name }) => silenceOf(name),
    });
    observer.observe('team/demo', { pods, path: 'direct' });
    await clock.advance(10_000);
    observer.close();
  },
];

/** Fails if the time of a function grows faster than the number of objects. */
async function expectProportion<T>([input, run]: Stage<T>): Promise<void> {
  expect(await growthOf({ input, run, length: COUNT })).toBeLessThanOrEqual(LARGEST_GROWTH);
}

describe('functions of the objects of etcd members', () => {
  it.each(Object.entries(STAGES))(
    'take time in proportion to the objects: %s',
    (_, stage) => expectProportion(stage),
    300_000,
  );

  it.each(Object.entries(RULES))(
    'decide the next change in proportion to the members: %s',
    (_, stage) => expectProportion(stage),
    300_000,
  );

  it.each(Object.entries(RECORDS))(
    'take time in proportion to a record: %s',
    (_, stage) => expectProportion(stage),
    300_000,
  );

  it('probe members in proportion to their number', () => expectProportion(PROBES), 300_000);

  it('render no more members than a record can have', () => {
    const { replicas, ordinals } = membershipOf(2 ** 31, 'existing');
    expect([replicas, ordinals.length]).toEqual([1_000, 1_000]);
  });

  it.each(Object.entries(VIEWS))(
    'take time in proportion to the responses: %s',
    (_, stage) => expectProportion(stage),
    300_000,
  );

  it('count the restarts of any number of containers', () => {
    const containerStatuses = Array.from({ length: 300_000 }, (_, restartCount) => ({
      name: 'etcd',
      restartCount,
    }));
    expect(restartsOf({ ...POD, status: { containerStatuses } })).toBe(299_999);
  });
});
