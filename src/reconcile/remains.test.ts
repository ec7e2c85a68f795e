import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { deletionStep, type Remains } from './remains.ts';

const now = Date.parse('2026-01-02T03:04:05Z');

function object(
  kind: string,
  name: string,
  component: string,
  metadata: object = {},
): KubernetesObject {
  const labels = { 'app.kubernetes.io/name': component };
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

function step(remains: Partial<Remains>): { remove: string[]; hurry: string[]; done: boolean } {
  const all = { objects: [], pods: [], claims: [], ...remains };
  const { remove, hurry, done } = deletionStep('demo', all, now);
  const names = (objects: readonly KubernetesObject[]): string[] =>
    objects.map(({ metadata }) => metadata.name);
  return { remove: names(remove), hurry: names(hurry), done };
}

describe('the order of a deletion', () => {
  it.each<[string, Partial<Remains>, ReturnType<typeof step>]>([
    [
      'begins with what writes, and keeps etcd and its Services for it',
      { objects: [apiServer, etcd, etcdService, secret], pods: [pod(), member] },
      { remove: ['demo-karmada-apiserver'], hurry: [], done: false },
    ],
    [
      'hurries pods that end, and waits for them before etcd goes',
      { objects: [etcd, secret], pods: [pod(ending)] },
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
