import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { deletionStep, type ClaimRetention, type Remains } from './remains.ts';

const now = Date.parse('2026-01-02T03:04:05Z');

function object(
  kind: string,
  name: string,
  component: string,
  metadata: object = {},
): KubernetesObject {
  const labels = { 'app.kubernetes.io/name': component, 'app.kubernetes.io/instance': 'demo' };
  return { apiVersion: 'v1', kind, metadata: { name, namespace: 'team', labels, ...metadata } };
}

const ending = { deletionTimestamp: '2026-01-02T03:04:15Z', deletionGracePeriodSeconds: 75 };
const hurried = { deletionTimestamp: '2026-01-02T03:04:06Z', deletionGracePeriodSeconds: 2 };
const lost = { deletionTimestamp: '2026-01-02T03:02:00Z', deletionGracePeriodSeconds: 2 };

const apiServer = object('Deployment', 'demo-karmada-apiserver', 'karmada-apiserver');
const etcd = object('StatefulSet', 'demo-karmada-etcd', 'etcd');
const etcdService = object('Service', 'demo-karmada-etcd-client', 'etcd');
const secret = object('Secret', 'demo-karmada-cert', 'karmada');
const backup = object('Secret', 'demo-karmada-ca-backup', 'karmada');
const claim = object('PersistentVolumeClaim', 'etcd-data-demo-karmada-etcd-0', 'etcd');
const pod = (metadata = {}): KubernetesObject =>
  object('Pod', 'demo-karmada-apiserver-x', 'karmada-apiserver', metadata);
const member = object('Pod', 'demo-karmada-etcd-0', 'etcd', ending);

interface Step {
  readonly remove: readonly string[];
  readonly hurry: readonly string[];
  readonly done: boolean;
  readonly waitsFor?: string;
}

/** When the Karmada was deleted. */
const DELETED = '2026-01-02T03:04:00Z';

function step(remains: Partial<Remains>, whenDeleted?: ClaimRetention): Step {
  const all = { objects: [], pods: [], claims: [], claimUsers: new Map(), ...remains };
  const local = whenDeleted && { persistentVolumeClaimRetentionPolicy: { whenDeleted } };
  const karmada = {
    metadata: { name: 'demo', deletionTimestamp: DELETED },
    spec: { components: { etcd: { ...(local && { local }) } } },
  };
  const { remove, hurry, ...more } = deletionStep(karmada, all, now);
  const names = (objects: readonly KubernetesObject[]): string[] =>
    objects.map(({ metadata }) => metadata.name);
  return { remove: names(remove), hurry: names(hurry), ...more };
}

describe('the order of a deletion', () => {
  it.each<[string, Partial<Remains>, Step]>([
    [
      'begins with what writes, and keeps etcd and its Services for it',
      { objects: [apiServer, etcd, etcdService, secret], pods: [pod(), member] },
      {
        remove: ['demo-karmada-apiserver'],
        hurry: ['demo-karmada-apiserver-x'],
        done: false,
      },
    ],
    [
      'hurries pods that end, and waits for them before etcd goes',
      { objects: [etcd, secret], pods: [pod(ending)] },
      { remove: [], hurry: ['demo-karmada-apiserver-x'], done: false },
    ],
    [
      'hurries a pod that was there before, whose ReplicaSet is not gone yet',
      { objects: [etcd], pods: [pod({ creationTimestamp: DELETED })] },
      { remove: [], hurry: ['demo-karmada-apiserver-x'], done: false },
    ],
    [
      'does not hurry the pod that the ReplicaSet creates in its place, which would get another one in its place',
      { objects: [etcd], pods: [pod({ creationTimestamp: '2026-01-02T03:04:01Z' })] },
      { remove: [], hurry: [], done: false },
    ],
    [
      'hurries that pod as soon as it ends',
      { objects: [etcd], pods: [pod({ creationTimestamp: '2026-01-02T03:04:01Z', ...ending })] },
      { remove: [], hurry: ['demo-karmada-apiserver-x'], done: false },
    ],
    [
      'does not hurry a pod twice',
      { objects: [etcd], pods: [pod(hurried)] },
      { remove: [], hurry: [], done: false },
    ],
    [
      'goes on when a pod is on a node that is gone',
      { objects: [etcd, etcdService], pods: [pod(lost)] },
      { remove: ['demo-karmada-etcd', 'demo-karmada-etcd-client'], hurry: [], done: false },
    ],
    [
      'lets etcd end in its own time, and keeps the Secrets until then',
      { objects: [secret, backup], pods: [member] },
      { remove: [], hurry: [], done: false },
    ],
    [
      'removes the Secrets last',
      { objects: [secret, backup] },
      { remove: ['demo-karmada-cert', 'demo-karmada-ca-backup'], hurry: [], done: false },
    ],
    [
      'keeps the copy of the authorities beside claims that stay',
      { objects: [secret, backup], claims: [claim] },
      { remove: ['demo-karmada-cert'], hurry: [], done: false },
    ],
    [
      'is done when only claims and that copy are left',
      { objects: [backup], claims: [claim] },
      { remove: [], hurry: [], done: true },
    ],
    ['is done when nothing is left', {}, { remove: [], hurry: [], done: true }],
  ])('%s', (_, remains, expected) => {
    expect(step(remains)).toEqual(expected);
  });
});

/** The claim of the first member as it is while it ends. */
const endingClaim = (secondsAgo: number, ...more: string[]): KubernetesObject => ({
  ...claim,
  metadata: {
    ...claim.metadata,
    deletionTimestamp: new Date(now - secondsAgo * 1_000).toISOString(),
    finalizers: ['kubernetes.io/pvc-protection', ...more],
  },
});
const used = new Map([[claim.metadata.name, ['reader']]]);
const nothing = { remove: [], hurry: [], done: false };

describe('claims that are to go with their Karmada', () => {
  it.each<[string, Partial<Remains>, Step]>([
    ['stay while a member of etcd ends', { claims: [claim], pods: [member] }, nothing],
    [
      'go before the Secrets',
      { objects: [secret, backup], claims: [claim] },
      { ...nothing, remove: [claim.metadata.name] },
    ],
    [
      'are waited for, and the Secrets with them',
      { objects: [secret, backup], claims: [endingClaim(1)] },
      nothing,
    ],
    [
      'take the copy of the authorities with them',
      { objects: [backup] },
      { ...nothing, remove: [backup.metadata.name] },
    ],
    [
      'name the pod that uses one',
      { objects: [backup], claims: [endingClaim(5)], claimUsers: used },
      {
        ...nothing,
        waitsFor:
          'PersistentVolumeClaim team/etcd-data-demo-karmada-etcd-0 is used by pod reader; end that pod',
      },
    ],
    [
      'are left to that pod after a minute',
      { objects: [backup], claims: [endingClaim(61)], claimUsers: used },
      { ...nothing, remove: [backup.metadata.name] },
    ],
    [
      'name the finalizer that somebody else has set, and wait for it',
      { claims: [endingClaim(600, 'example.com/copy')] },
      {
        ...nothing,
        waitsFor:
          'PersistentVolumeClaim team/etcd-data-demo-karmada-etcd-0 is kept by its finalizer example.com/copy',
      },
    ],
    ['let the Karmada go when they are gone', {}, { ...nothing, done: true }],
    [
      'are only those of this etcd',
      {
        claims: [
          object('PersistentVolumeClaim', 'etcd-data-demo-karmada-etcd-copy', 'etcd'),
          object('PersistentVolumeClaim', 'copy-of-etcd-0', 'etcd'),
          object('PersistentVolumeClaim', claim.metadata.name, 'karmada-search'),
          object('PersistentVolumeClaim', claim.metadata.name, 'etcd', { labels: {} }),
        ],
      },
      { ...nothing, done: true },
    ],
  ])('%s', (_, remains, expected) => {
    expect(step(remains, 'Delete')).toEqual(expected);
  });

  it('stay when it is said that they stay', () => {
    expect(step({ objects: [backup], claims: [claim] }, 'Retain')).toEqual({
      ...nothing,
      done: true,
    });
  });
});

it("a user's Secret for an external etcd stays, whatever labels it bears, and the copy of it goes", () => {
  const theirs = object('Secret', 'demo-karmada-etcd-cert', 'karmada');
  const copy = object('Secret', 'demo-karmada-etcd-client', 'karmada');
  const left: Remains = { objects: [theirs, copy], pods: [], claims: [], claimUsers: new Map() };
  const external = (name: string, namespace?: string): Parameters<typeof deletionStep>[0] => ({
    metadata: { name: 'demo', namespace: 'team' },
    spec: {
      components: {
        etcd: {
          external: { endpoints: [], secretRef: { name, ...(namespace && { namespace }) } },
        },
      },
    },
  });
  const removed = (karmada: Parameters<typeof deletionStep>[0]): unknown =>
    deletionStep(karmada, left, now).remove;
  expect(removed(external(theirs.metadata.name))).toEqual([copy]);
  expect(removed(external(theirs.metadata.name, 'team'))).toEqual([copy]);
  expect(removed(external(theirs.metadata.name, 'storage'))).toEqual([theirs, copy]);
});
