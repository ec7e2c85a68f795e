import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { live, pod, statefulSetOf, wishWith } from '../../instance/__fixtures__/instance.ts';
import { isExisting, membershipOf, membersIn, tokenIn } from '../pods/membership.ts';
import { clusterIdentityOf, type ClusterIdentity, type SeenMembers } from './cluster-identity.ts';
import { awaitedByDeployments } from '../../features/etcd-bootstrap/bootstrap.ts';
import type { EtcdRecord } from './record.ts';
import { templateState } from './initial-cluster-state.ts';

const TOKEN = 'karmada-demo-etcd.team';
const UNBORN: EtcdRecord = { state: 'unborn', token: TOKEN, members: 3, ca: 'a1' };
const BORN: EtcdRecord = { ...UNBORN, state: 'born', clusterID: 'c0ffee' };
const UNKNOWN: ClusterIdentity = { kind: 'unknown' };
const PENDING: ClusterIdentity = { kind: 'pending' };
const AGREED: ClusterIdentity = { kind: 'agreed', clusterID: 'c0ffee', members: 3, pods: [] };

/** A StatefulSet with three members and the given newest revision. */
function set(state: 'new' | 'existing', revision: string): KubernetesObject {
  const ordinals = [0, 1, 2];
  const membership = { replicas: 3, ordinals, state, token: TOKEN };
  const desiredState = wishWith({ components: { etcd: { local: { replicas: 3 } } } }, membership);
  const found = desiredState.objects.find(({ object }) => object.kind === 'StatefulSet');
  if (found === undefined) throw new Error('there is no StatefulSet');
  const object = live(found);
  return { ...object, status: { ...(object['status'] as object), updateRevision: revision } };
}

const members = (...revisions: readonly string[]): readonly KubernetesObject[] =>
  revisions.map((revision, n) => pod('etcd', { name: `karmada-demo-etcd-${n}`, revision }));

const marked = (pods: readonly KubernetesObject[], of: KubernetesObject): KubernetesObject[] => {
  const { template } = of['spec'] as { template: { metadata: { annotations?: object } } };
  const annotations = { ...template.metadata.annotations } as Record<string, string>;
  return pods.map((item) => ({ ...item, metadata: { ...item.metadata, annotations } }));
};

describe('templateState', () => {
  const fresh = set('new', 'r1');
  const existing = set('existing', 'r2');

  it.each<
    [
      string,
      KubernetesObject,
      readonly string[],
      EtcdRecord | undefined,
      ClusterIdentity,
      boolean,
      string,
    ]
  >([
    ['is new when a first Pod is missing', fresh, ['r1', 'r1'], UNBORN, UNKNOWN, false, 'new'],
    [
      'is existing when all first Pods exist',
      fresh,
      ['r1', 'r1', 'r1'],
      UNBORN,
      UNKNOWN,
      false,
      'existing',
    ],
    [
      'stays existing when the first Pods still exist',
      existing,
      ['r1', 'r1', 'r1'],
      UNBORN,
      UNKNOWN,
      false,
      'existing',
    ],
    [
      'returns to new when a Pod was recreated before the API server served',
      existing,
      ['r1', 'r2', 'r1'],
      UNBORN,
      UNKNOWN,
      false,
      'new',
    ],
    [
      'stays existing when a Pod was recreated after the API server served',
      existing,
      ['r1', 'r2', 'r1'],
      UNBORN,
      UNKNOWN,
      true,
      'existing',
    ],
    [
      'stays existing when a Pod of a recorded cluster was recreated',
      existing,
      ['r1', 'r2', 'r1'],
      BORN,
      UNKNOWN,
      false,
      'existing',
    ],
    [
      'stays existing when all Pods of a recorded cluster were recreated',
      existing,
      ['r2', 'r2', 'r2'],
      BORN,
      UNKNOWN,
      false,
      'existing',
    ],
    [
      'is existing when members of an earlier release agree',
      fresh,
      ['r1', 'r1', 'r1'],
      undefined,
      AGREED,
      true,
      'existing',
    ],
    [
      'stays new when members of an earlier release do not agree',
      fresh,
      ['r1', 'r1', 'r1'],
      undefined,
      UNKNOWN,
      true,
      'new',
    ],
    [
      'is kept when members of an earlier release have not been queried',
      fresh,
      ['r1'],
      undefined,
      { kind: 'pending' },
      true,
      'keep',
    ],
    [
      'is kept when members of an earlier release belong to different clusters',
      fresh,
      ['r1'],
      undefined,
      { kind: 'split' },
      true,
      'keep',
    ],
    [
      'is existing when the record has another token',
      fresh,
      ['r1'],
      { ...UNBORN, token: 'other' },
      UNKNOWN,
      false,
      'existing',
    ],
  ])('%s', (_, ...given) => {
    const [object, revisions, record, clusterIdentity, hasServed, expected] = given;
    const pods = marked(members(...revisions), object);
    expect(templateState({ live: object, record, members: pods, clusterIdentity, hasServed })).toBe(
      expected,
    );
  });
});

describe('StatefulSet with the state existing', () => {
  it('isolates a member without data and still names all members', () => {
    const object = set('existing', 'r1');
    const { template } = object['spec'] as {
      template: { spec: { containers: { command: string[]; args?: string[] }[] } };
    };
    const [container] = template.spec.containers;
    expect(container?.args).toEqual([
      '--initial-cluster=$(KARMADA_ETCD_NAME)=https://$(KARMADA_ETCD_NAME).karmada-demo-etcd.team.svc.cluster.local:2380$(KARMADA_ETCD_JOIN)',
    ]);
    expect(container?.command).toContain('--initial-cluster-state=existing');
    expect([isExisting(object), membersIn(object), tokenIn(object)]).toEqual([true, 3, TOKEN]);
  });

  it('has the same template hash as an unsealed one, so that sealing restarts no member', () => {
    const hashOf = (object: KubernetesObject): unknown => {
      const { template } = object['spec'] as { template: { metadata: { annotations?: object } } };
      return template.metadata.annotations;
    };
    expect(hashOf(set('existing', 'r1'))).toEqual(hashOf(set('new', 'r1')));
  });
});

describe('clusterIdentityOf', () => {
  const names = ['e-0', 'e-1', 'e-2'];
  const seen = (more: Partial<SeenMembers> = {}): SeenMembers => ({
    answers: names.map((pod) => ({ pod })),
    clusters: [{ id: 'c0ffee' }],
    members: names.map((name) => ({ name })),
    serving: ['e-0', 'e-1'],
    quorum: true,
    unasked: [],
    ...more,
  });

  it.each<[string, SeenMembers | undefined, ClusterIdentity['kind']]>([
    ['returns agreed when a quorum confirms the members', seen(), 'agreed'],
    ['returns unseen when the members are not queried', undefined, 'unseen'],
    [
      'returns split when two clusters respond',
      seen({ clusters: [{ id: 'a' }, { id: 'b' }] }),
      'split',
    ],
    ['returns split when members are not in their own list', seen({ splitBrain: {} }), 'split'],
    ['returns unknown when there is no quorum', seen({ quorum: false }), 'unknown'],
    [
      'returns unknown when the cluster has fewer members than Pods',
      seen({ members: [{ name: 'e-0' }] }),
      'unknown',
    ],
    [
      'returns unknown when the members have other names',
      seen({ members: ['x', 'y', 'z'].map((name) => ({ name })) }),
      'unknown',
    ],
    [
      'returns pending when Pods have not been queried',
      seen({ clusters: [], members: [], quorum: false, unasked: names }),
      'pending',
    ],
  ])('%s', (_, view, kind) => {
    expect(clusterIdentityOf(view, { names, isRecorded: true }).kind).toBe(kind);
  });

  const two = seen({ answers: [{ pod: 'e-1' }, { pod: 'e-2' }], serving: ['e-1', 'e-2'] });

  it.each<[string, SeenMembers, boolean, ClusterIdentity['kind']]>([
    ['returns agreed when a quorum of a recorded cluster responds', two, true, 'agreed'],
    ['returns unknown when a member is silent and no record exists', two, false, 'unknown'],
    ['returns agreed when all members respond and no record exists', seen(), false, 'agreed'],
  ])('%s', (_, view, isRecorded, kind) => {
    expect(clusterIdentityOf(view, { names, isRecorded }).kind).toBe(kind);
  });
});

describe('awaitedByDeployments', () => {
  it.each<[string, boolean, EtcdRecord | undefined, ClusterIdentity, boolean]>([
    ['a cluster that may still start again without data', false, UNBORN, UNKNOWN, true],
    ['a cluster whose Pods all exist', true, UNBORN, UNKNOWN, false],
    ['PVCs of an earlier release before their members agree', true, undefined, UNKNOWN, true],
    ['PVCs of an earlier release whose members agree', true, undefined, AGREED, false],
    ['members of different clusters', true, BORN, { kind: 'split' }, true],
    ['a running etcd of an earlier release', false, undefined, UNKNOWN, false],
    [
      'a running etcd of an earlier release before the first query',
      false,
      undefined,
      PENDING,
      true,
    ],
    ['a running etcd with a record before the first query', true, BORN, PENDING, false],
  ])(
    'decides whether new Deployments wait for %s',
    (_, ...[existing, record, clusterIdentity, waits]) => {
      expect(
        awaitedByDeployments({ isExisting: existing, record, clusterIdentity }) !== undefined,
      ).toBe(waits);
    },
  );
});

it('membershipOf has at most 1,000 members, whatever number a host cluster reports', () => {
  const { replicas, ordinals } = membershipOf(4e9, 'existing');
  expect([replicas, ordinals.length]).toEqual([1_000, 1_000]);
});

it('membersIn reads the members of a StatefulSet of an earlier release from its flags', () => {
  expect(membersIn(live(statefulSetOf({ replicas: 3 })))).toBe(3);
});
