import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../../kubernetes/object.ts';
import { live, pod, statefulSetOf, wishWith } from '../../__fixtures__/instance.ts';
import { isSealed, membersIn, tokenIn } from '../membership.ts';
import { agreementOf, type Agreement, type SeenMembers } from './agreement.ts';
import { awaitsAPIServer } from './birth.ts';
import type { EtcdRecord } from './record.ts';
import { templateState } from './seal.ts';

const TOKEN = 'karmada-demo-etcd.team';
const UNBORN: EtcdRecord = { state: 'unborn', token: TOKEN, members: 3, ca: 'a1' };
const BORN: EtcdRecord = { ...UNBORN, state: 'born', clusterID: 'c0ffee' };
const UNKNOWN: Agreement = { kind: 'unknown' };
const AGREED: Agreement = { kind: 'agreed', clusterID: 'c0ffee', members: 3, pods: [] };

/** The StatefulSet of three members, its newest revision being `revision`. */
function set(state: 'new' | 'existing', revision: string): KubernetesObject {
  const ordinals = [0, 1, 2];
  const membership = { replicas: 3, ordinals, state, token: TOKEN };
  const wish = wishWith({ components: { etcd: { local: { replicas: 3 } } } }, membership);
  const found = wish.objects.find(({ object }) => object.kind === 'StatefulSet');
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
  const sealed = set('existing', 'r2');

  it.each<
    [
      string,
      KubernetesObject,
      readonly string[],
      EtcdRecord | undefined,
      Agreement,
      boolean,
      string,
    ]
  >([
    ['a pod is not there yet', fresh, ['r1', 'r1'], UNBORN, UNKNOWN, false, 'new'],
    ['every first pod is there', fresh, ['r1', 'r1', 'r1'], UNBORN, UNKNOWN, false, 'existing'],
    [
      'it is sealed, and the first pods are there',
      sealed,
      ['r1', 'r1', 'r1'],
      UNBORN,
      UNKNOWN,
      false,
      'existing',
    ],
    [
      'a pod was made anew before anything served',
      sealed,
      ['r1', 'r2', 'r1'],
      UNBORN,
      UNKNOWN,
      false,
      'new',
    ],
    [
      'a pod was made anew after the API server served',
      sealed,
      ['r1', 'r2', 'r1'],
      UNBORN,
      UNKNOWN,
      true,
      'existing',
    ],
    [
      'a pod was made anew of a cluster that is born',
      sealed,
      ['r1', 'r2', 'r1'],
      BORN,
      UNKNOWN,
      false,
      'existing',
    ],
    [
      'all pods were made anew of a cluster that is born',
      sealed,
      ['r2', 'r2', 'r2'],
      BORN,
      UNKNOWN,
      false,
      'existing',
    ],
    [
      'an older release made it, and its members agree',
      fresh,
      ['r1', 'r1', 'r1'],
      undefined,
      AGREED,
      true,
      'existing',
    ],
    [
      'an older release made it, and nobody knows',
      fresh,
      ['r1', 'r1', 'r1'],
      undefined,
      UNKNOWN,
      true,
      'new',
    ],
    [
      'an older release made it, and nobody has asked',
      fresh,
      ['r1'],
      undefined,
      { kind: 'pending' },
      true,
      'keep',
    ],
    [
      'an older release made it, and it is split',
      fresh,
      ['r1'],
      undefined,
      { kind: 'split' },
      true,
      'keep',
    ],
    [
      'the record is of another birth',
      fresh,
      ['r1'],
      { ...UNBORN, token: 'other' },
      UNKNOWN,
      false,
      'existing',
    ],
  ])('%s', (_, ...given) => {
    const [object, revisions, record, agreement, hasServed, expected] = given;
    const pods = marked(members(...revisions), object);
    expect(templateState({ live: object, record, members: pods, agreement, hasServed })).toBe(
      expected,
    );
  });
});

describe('a sealed StatefulSet', () => {
  it('lets a member without data find nobody to join, and tells how many members there are', () => {
    const object = set('existing', 'r1');
    const { template } = object['spec'] as {
      template: { spec: { containers: { command: string[]; args?: string[] }[] } };
    };
    const [container] = template.spec.containers;
    expect(container?.args).toEqual([
      '--initial-cluster=$(KARMADA_ETCD_NAME)=https://$(KARMADA_ETCD_NAME).karmada-demo-etcd.team.svc.cluster.local:2380',
    ]);
    expect(container?.command).toContain('--initial-cluster-state=existing');
    expect([isSealed(object), membersIn(object), tokenIn(object)]).toEqual([true, 3, TOKEN]);
  });

  it('has the hash of one that is not: a seal restarts no member', () => {
    const hashOf = (object: KubernetesObject): unknown => {
      const { template } = object['spec'] as { template: { metadata: { annotations?: object } } };
      return template.metadata.annotations;
    };
    expect(hashOf(set('existing', 'r1'))).toEqual(hashOf(set('new', 'r1')));
  });
});

describe('agreementOf', () => {
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

  it.each<[string, SeenMembers | undefined, Agreement['kind']]>([
    ['a quorum of the members', seen(), 'agreed'],
    ['nobody asks', undefined, 'unseen'],
    ['two clusters', seen({ clusters: [{ id: 'a' }, { id: 'b' }] }), 'split'],
    ['members that are not in their own list', seen({ splitBrain: {} }), 'split'],
    ['no quorum', seen({ quorum: false }), 'unknown'],
    ['fewer members than pods', seen({ members: [{ name: 'e-0' }] }), 'unknown'],
    [
      'members of other names',
      seen({ members: ['x', 'y', 'z'].map((name) => ({ name })) }),
      'unknown',
    ],
    [
      'not asked yet',
      seen({ clusters: [], members: [], quorum: false, unasked: names }),
      'pending',
    ],
  ])('%s', (_, view, kind) => {
    expect(agreementOf(view, { names, isRecorded: true }).kind).toBe(kind);
  });

  const two = seen({ answers: [{ pod: 'e-1' }, { pod: 'e-2' }], serving: ['e-1', 'e-2'] });

  it.each<[string, SeenMembers, boolean, Agreement['kind']]>([
    ['a quorum is enough for a cluster that is on record', two, true, 'agreed'],
    ['without a record a silent member may hold another cluster', two, false, 'unknown'],
    ['without a record all members say so', seen(), false, 'agreed'],
  ])('%s', (_, view, isRecorded, kind) => {
    expect(agreementOf(view, { names, isRecorded }).kind).toBe(kind);
  });
});

describe('the first API server', () => {
  it.each<[string, boolean, EtcdRecord | undefined, Agreement, boolean]>([
    ['a cluster that may still be founded anew', false, UNBORN, UNKNOWN, true],
    ['a cluster whose pods are all there', true, UNBORN, UNKNOWN, false],
    ['claims of an older release before their members agree', true, undefined, UNKNOWN, true],
    ['claims of an older release whose members agree', true, undefined, AGREED, false],
    ['a split brain', true, BORN, { kind: 'split' }, true],
    ['an etcd of an older release that runs', false, undefined, UNKNOWN, false],
  ])('waits or not: %s', (_, ...[sealed, record, agreement, waits]) => {
    expect(awaitsAPIServer({ isSealed: sealed, record, agreement }) !== undefined).toBe(waits);
  });
});

it('a StatefulSet of an older release has the members that its flags name', () => {
  expect(membersIn(live(statefulSetOf({ replicas: 3 })))).toBe(3);
});
