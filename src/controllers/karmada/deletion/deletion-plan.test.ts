import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../../kubernetes/objects/object.ts';
import { planDeletion, type ClaimRetention, type RemainingObjects } from './deletion-plan.ts';

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
const hurried = { deletionTimestamp: '2026-01-02T03:04:06Z', deletionGracePeriodSeconds: 1 };
const lost = { deletionTimestamp: '2026-01-02T03:02:00Z', deletionGracePeriodSeconds: 2 };

const apiServer = object('Deployment', 'demo-karmada-apiserver', 'karmada-apiserver');
const etcd = object('StatefulSet', 'demo-karmada-etcd', 'etcd');
const etcdService = object('Service', 'demo-karmada-etcd-client', 'etcd');
const secret = object('Secret', 'demo-karmada-cert', 'karmada');
const policy = object('NetworkPolicy', 'demo-karmada-apiserver', 'karmada-apiserver');
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

function step(remains: Partial<RemainingObjects>, whenDeleted?: ClaimRetention): Step {
  const all = { objects: [], pods: [], claims: [], claimUsers: new Map(), ...remains };
  const local = whenDeleted && { persistentVolumeClaimRetentionPolicy: { whenDeleted } };
  const karmada = {
    metadata: { name: 'demo', deletionTimestamp: DELETED },
    spec: { components: { etcd: { ...(local && { local }) } } },
  };
  const { remove, hurry, ...more } = planDeletion(karmada, all, now);
  const names = (objects: readonly KubernetesObject[]): string[] =>
    objects.map(({ metadata }) => metadata.name);
  return { remove: names(remove), hurry: names(hurry), ...more };
}

describe('planDeletion', () => {
  it.each<[string, Partial<RemainingObjects>, Step]>([
    [
      'keeps NetworkPolicies while there are Pods',
      { objects: [policy], pods: [pod(ending)] },
      { remove: [], hurry: ['demo-karmada-apiserver-x'], done: false },
    ],
    [
      'deletes NetworkPolicies when there are no more Pods',
      { objects: [policy, backup], claims: [claim] },
      { remove: ['demo-karmada-apiserver'], hurry: [], done: false },
    ],
    [
      'deletes the components that write first and keeps etcd and its Services',
      { objects: [apiServer, etcd, etcdService, secret], pods: [pod(), member] },
      {
        remove: ['demo-karmada-apiserver'],
        hurry: ['demo-karmada-apiserver-x'],
        done: false,
      },
    ],
    [
      'shortens the grace period of terminating Pods and keeps etcd until they are gone',
      { objects: [etcd, secret], pods: [pod(ending)] },
      { remove: [], hurry: ['demo-karmada-apiserver-x'], done: false },
    ],
    [
      'shortens the grace period of a Pod that is older than the deletion',
      { objects: [etcd], pods: [pod({ creationTimestamp: DELETED })] },
      { remove: [], hurry: ['demo-karmada-apiserver-x'], done: false },
    ],
    [
      'leaves a Pod alone when its ReplicaSet created it after the deletion',
      { objects: [etcd], pods: [pod({ creationTimestamp: '2026-01-02T03:04:01Z' })] },
      { remove: [], hurry: [], done: false },
    ],
    [
      'shortens the grace period of a Pod created after the deletion when it terminates',
      { objects: [etcd], pods: [pod({ creationTimestamp: '2026-01-02T03:04:01Z', ...ending })] },
      { remove: [], hurry: ['demo-karmada-apiserver-x'], done: false },
    ],
    [
      'leaves a Pod alone when its grace period is short already',
      { objects: [etcd], pods: [pod(hurried)] },
      { remove: [], hurry: [], done: false },
    ],
    [
      'continues when a terminating Pod is long overdue because its node is gone',
      { objects: [etcd, etcdService], pods: [pod(lost)] },
      { remove: ['demo-karmada-etcd', 'demo-karmada-etcd-client'], hurry: [], done: false },
    ],
    [
      'keeps the grace period of etcd Pods, and the Secrets until they are gone',
      { objects: [secret, backup], pods: [member] },
      { remove: [], hurry: [], done: false },
    ],
    [
      'deletes the Secrets last',
      { objects: [secret, backup] },
      { remove: ['demo-karmada-cert', 'demo-karmada-ca-backup'], hurry: [], done: false },
    ],
    [
      'keeps the CA backup Secret when PVCs are kept',
      { objects: [secret, backup], claims: [claim] },
      { remove: ['demo-karmada-cert'], hurry: [], done: false },
    ],
    [
      'is done when only PVCs and the CA backup Secret are left',
      { objects: [backup], claims: [claim] },
      { remove: [], hurry: [], done: true },
    ],
    ['is done when nothing is left', {}, { remove: [], hurry: [], done: true }],
  ])('%s', (_, remains, expected) => {
    expect(step(remains)).toEqual(expected);
  });
});

/** The PVC of the first member while it is terminating. */
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

describe('planDeletion with the retention policy Delete', () => {
  it.each<[string, Partial<RemainingObjects>, Step]>([
    [
      'keeps the PVCs while an etcd Pod is terminating',
      { claims: [claim], pods: [member] },
      nothing,
    ],
    [
      'deletes the PVCs before the Secrets',
      { objects: [secret, backup], claims: [claim] },
      { ...nothing, remove: [claim.metadata.name] },
    ],
    [
      'keeps the Secrets while a PVC is terminating',
      { objects: [secret, backup], claims: [endingClaim(1)] },
      nothing,
    ],
    [
      'deletes the CA backup Secret when the PVCs are gone',
      { objects: [backup] },
      { ...nothing, remove: [backup.metadata.name] },
    ],
    [
      'names the Pod when it still uses a PVC',
      { objects: [backup], claims: [endingClaim(5)], claimUsers: used },
      {
        ...nothing,
        waitsFor:
          'PersistentVolumeClaim team/etcd-data-demo-karmada-etcd-0: still used by Pod reader; the deletion continues when no Pod uses it',
      },
    ],
    [
      'continues after one minute when another Pod still uses a PVC',
      { objects: [backup], claims: [endingClaim(61)], claimUsers: used },
      { ...nothing, remove: [backup.metadata.name] },
    ],
    [
      'names the finalizer of another controller and waits for it',
      { claims: [endingClaim(600, 'example.com/copy')] },
      {
        ...nothing,
        waitsFor:
          'PersistentVolumeClaim team/etcd-data-demo-karmada-etcd-0: deletion blocked by finalizer example.com/copy; check the controller that set it',
      },
    ],
    ['is done when no object is left', {}, { ...nothing, done: true }],
    [
      'leaves PVCs alone that do not belong to this etcd',
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

  it('is done with the PVCs left when the policy is Retain', () => {
    expect(step({ objects: [backup], claims: [claim] }, 'Retain')).toEqual({
      ...nothing,
      done: true,
    });
  });
});

it('deletionStep keeps the Secret of the user for an external etcd and deletes its copy', () => {
  const theirs = object('Secret', 'demo-karmada-etcd-cert', 'karmada');
  const copy = object('Secret', 'demo-karmada-etcd-client', 'karmada');
  const left: RemainingObjects = {
    objects: [theirs, copy],
    pods: [],
    claims: [],
    claimUsers: new Map(),
  };
  const external = (name: string, namespace?: string): Parameters<typeof planDeletion>[0] => ({
    metadata: { name: 'demo', namespace: 'team' },
    spec: {
      components: {
        etcd: {
          external: { endpoints: [], secretRef: { name, ...(namespace && { namespace }) } },
        },
      },
    },
  });
  const removed = (karmada: Parameters<typeof planDeletion>[0]): unknown =>
    planDeletion(karmada, left, now).remove;
  expect(removed(external(theirs.metadata.name))).toEqual([copy]);
  expect(removed(external(theirs.metadata.name, 'team'))).toEqual([copy]);
  expect(removed(external(theirs.metadata.name, 'storage'))).toEqual([theirs, copy]);
});
