/** What the operator does with any host cluster, called with no other rights than a role grants. */
import { beforeAll, expect, it } from '@jest/globals';
import { systemClock } from '../../../src/kubernetes/clock.ts';
import type { KubernetesClient } from '../../../src/kubernetes/contract.ts';
import type { KubernetesObject } from '../../../src/kubernetes/object.ts';
import { pruneObject } from '../../../src/kubernetes/prune.ts';
import { keyOf, resources } from '../../../src/kubernetes/resources.ts';
import { createHost, isNamespaceEnding, type Host } from '../../../src/hosts/host.ts';
import { readEvidence } from '../../../src/reconcile/etcd/birth/evidence.ts';
import { annotateClaim } from '../../../src/reconcile/etcd/birth/annotate-claim.ts';
import { eventually, LABELS, memoryLog } from '../kubernetes/fixture.ts';
import type { WithRoles } from './roles.ts';

/** The host of these tests, and what ends its caches. */
export interface Common {
  readonly host: Host;
  readonly stop: () => Promise<void>;
}

const LIVENESS = '/spec/template/spec/containers/0/livenessProbe';

const template = {
  metadata: { labels: LABELS },
  spec: {
    containers: [
      { name: 'c', image: 'registry.example.com/c:1', livenessProbe: { httpGet: { port: 1 } } },
    ],
  },
};

const selector = { matchLabels: LABELS };

const specs: Readonly<Record<string, readonly [string, object]>> = {
  Deployment: ['apps/v1', { selector, template }],
  StatefulSet: ['apps/v1', { selector, serviceName: 's', template }],
  PodDisruptionBudget: ['policy/v1', { selector, minAvailable: 1 }],
  Service: ['v1', { ports: [{ port: 80 }], clusterIP: 'None' }],
  PersistentVolumeClaim: [
    'v1',
    { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  ],
};

export function objectOf(kind: string, namespace: string): KubernetesObject {
  const metadata = { name: 'demo', namespace, labels: LABELS };
  const [apiVersion, spec] = specs[kind] ?? ['v1', undefined];
  return { apiVersion, kind, metadata, ...(spec !== undefined && { spec }) };
}

/** What the role for the operator's cluster and that for host clusters have in common. */
export function testCommonRights(given: () => WithRoles, namespace: string): Common {
  let client: KubernetesClient;
  let admin: KubernetesClient;
  let host: Host;

  beforeAll(async () => {
    ({ client, admin } = given());
    await admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const options = { clock: systemClock, random: Math.random, log: memoryLog() };
    host = createHost({ client, ...options });
    for (const informer of host.informers) informer.start();
  });

  it('lets all caches be filled', async () => {
    await eventually(
      'all are in step',
      () => host.informers.every(({ hasSynced }) => hasSynced),
      () => host.informers.map(({ type, problem }) => `${type.kind} ${problem ?? ''}`),
    );
  });

  const probed = [{ op: 'replace', path: LIVENESS, value: { exec: { command: ['x'] } } }];
  const counted = { spec: { minAvailable: null, maxUnavailable: 1 } };

  // Both members of the union would be there, which the API server refuses: the object is written as a whole.
  it.each([
    ['Deployment', probed],
    ['StatefulSet', probed],
    ['PodDisruptionBudget', counted],
  ])('lets a %s be put right in which somebody chose another way', async (kind, edit) => {
    const desired = objectOf(kind, namespace);
    const applied = async (): Promise<string> =>
      (await host.applier.apply({ desired, owns: () => true })).outcome;
    expect(await applied()).toBe('created');
    await admin.patch(admin.typeOf(desired), desired.metadata, edit);
    expect(await applied()).toBe('configured');
    expect(await admin.get(admin.typeOf(desired), desired.metadata)).toMatchObject({
      spec: desired.spec,
    });
  });

  it.each(['Service', 'Secret'])('lets a %s be created and repaired', async (kind) => {
    const named = objectOf(kind, namespace);
    const desired = { ...named, metadata: { ...named.metadata, name: 'kept' } };
    const applied = async (): Promise<string> =>
      (await host.applier.apply({ desired, owns: () => true })).outcome;
    expect(await applied()).toBe('created');
    const labels = { 'app.kubernetes.io/instance': 'other' };
    await admin.patch(admin.typeOf(desired), keyOf(desired), { metadata: { labels } });
    expect(await applied()).toBe('configured');
  });

  it.each(['Secret', ...Object.keys(specs)])(
    'lets a %s go that was changed since it was seen',
    async (kind) => {
      const named = objectOf(kind, namespace);
      const object = { ...named, metadata: { ...named.metadata, name: 'leaving' } };
      const seen = await admin.create(object);
      const labels = { changed: 'yes' };
      await admin.patch(admin.typeOf(object), object.metadata, { metadata: { labels } });
      const owns = (live: KubernetesObject): boolean => live.metadata.labels?.['changed'] === 'yes';
      expect(await pruneObject(client, { object: seen, owns })).toBe('deleted');
    },
  );

  it('lets a claim be annotated, and evidence of etcd data be read', async () => {
    const named = objectOf('PersistentVolumeClaim', namespace);
    const metadata = { ...named.metadata, name: 'noted' };
    const claim = await admin.create({ ...named, metadata });
    const stamp = { claim, value: '{}' };
    await annotateClaim(host.client, memoryLog(), { kind: 'annotateClaim', stamp });
    const noted = await admin.get(resources.PersistentVolumeClaim, keyOf(claim));
    expect(noted.metadata.annotations).toEqual({ 'operator.karmada.io/etcd-member': '{}' });
    const karmada = { metadata: { name: 'demo', namespace } } as Parameters<typeof readEvidence>[1];
    const { evidence } = await readEvidence(host, karmada, []);
    expect(evidence).not.toHaveProperty('unread');
  });

  it('tells that there is such a Secret already', async () => {
    const secret = { ...objectOf('Secret', namespace), stringData: { key: 'value' } };
    const outcomes = [await host.applier.createOnly(secret), await host.applier.createOnly(secret)];
    expect(outcomes.map((result) => result.outcome)).toEqual(['created', 'conflict']);
  });

  it('tells that a namespace is about to go', async () => {
    const name = `${namespace}-ending`;
    await admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await admin.delete(resources.Namespace, { name });
    await eventually('it is told', () => isNamespaceEnding(host, name));
  });

  return {
    get host() {
      return host;
    },
    stop: async () => void (await Promise.all(host.informers.map((informer) => informer.stop()))),
  };
}

/** A pod of a scheduler of the Karmada `karmada`; none of the API servers in these tests has a scheduler. */
export function podOf(owner: KubernetesObject): KubernetesObject {
  const { apiVersion, kind, metadata } = owner;
  const { name, namespace = '', uid = 'u-1' } = metadata;
  const labels = {
    'app.kubernetes.io/managed-by': 'karmada-operator',
    'app.kubernetes.io/instance': 'karmada',
    'app.kubernetes.io/name': 'karmada-scheduler',
  };
  const ownerReferences = [{ apiVersion, kind, name, uid, controller: true }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `${name}-0`, namespace, labels, ownerReferences },
    spec: { containers: [{ name: 'c', image: 'registry.example.com/c:1' }] },
  };
}
