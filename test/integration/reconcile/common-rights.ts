/** Tests the operations that the operator performs in any host cluster, with only the permissions of a role. */
import { beforeAll, expect, it } from '@jest/globals';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { pruneObject } from '../../../src/kubernetes/apply/prune.ts';
import { keyOf, resources } from '../../../src/kubernetes/objects/resources.ts';
import { createHost, type Host } from '../../../src/host-clusters/host.ts';
import { isNamespaceEnding } from '../../../src/host-clusters/namespace-ending.ts';
import { EventReader } from '../../../src/features/causes/event-reader.ts';
import { readEvidence } from '../../../src/features/etcd-bootstrap/evidence.ts';
import { excludeMember } from '../../../src/features/etcd-members/exclude-member.ts';
import { answerOf } from '../../../src/etcd/__fixtures__/answers.ts';
import { annotateClaim } from '../../../src/features/etcd-bootstrap/annotate-claim.ts';
import { changeObjects } from '../../../src/features/etcd-members/change-objects.ts';
import { JOINED_ANNOTATION } from '../../../src/features/etcd-members/pod-facts.ts';
import { eventually, LABELS, memoryLog } from '../../harness/servers/apiserver-client.ts';
import { COMPONENT } from '../../../src/api/labels.ts';
import type { WithRoles } from './roles.ts';

/** Host of these tests, and a function that stops its caches. */
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
  NetworkPolicy: ['networking.k8s.io/v1', { podSelector: selector, policyTypes: ['Ingress'] }],
  Service: ['v1', { ports: [{ port: 80 }], clusterIP: 'None' }],
  PersistentVolumeClaim: [
    'v1',
    { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  ],
};

export function objectOf(kind: string, namespace: string): KubernetesObject {
  // Caches of Pods, PVCs and PodDisruptionBudgets select the component.
  const metadata = { name: 'demo', namespace, labels: { ...LABELS, [COMPONENT]: 'etcd' } };
  const [apiVersion, spec] = specs[kind] ?? ['v1', undefined];
  return { apiVersion, kind, metadata, ...(spec !== undefined && { spec }) };
}

/** Tests the permissions that the role for the management cluster and the role for host clusters have in common. */
export function testCommonRights(given: () => WithRoles, namespace: string): Common {
  let client: KubernetesClient;
  let admin: KubernetesClient;
  let host: Host;

  beforeAll(async () => {
    ({ client, admin } = given());
    await admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const options = { clock: systemClock, random: Math.random, log: memoryLog() };
    host = createHost({ client, ...options });
    host.quota.admit(namespace);
    host.quota.start();
    for (const informer of allOf(host)) informer.start();
  });

  it('allows all caches to be filled', async () => {
    await eventually(
      'all caches are synced',
      () => allOf(host).every(({ hasSynced }) => hasSynced),
      () => allOf(host).map(({ type, problem }) => `${type.kind} ${problem ?? ''}`),
    );
  });

  const probed = [{ op: 'replace', path: LIVENESS, value: { exec: { command: ['x'] } } }];
  const counted = { spec: { minAvailable: null, maxUnavailable: 1 } };

  // Both union fields would be set, which the API server rejects. The operator therefore replaces the whole object.
  it.each([
    ['Deployment', probed],
    ['StatefulSet', probed],
    ['PodDisruptionBudget', counted],
  ])(
    'allows a %s to be repaired when another user has set another union field',
    async (kind, edit) => {
      const desired = objectOf(kind, namespace);
      const applied = async (): Promise<string> =>
        (await host.applier.apply({ desired, owns: () => true })).outcome;
      expect(await applied()).toBe('created');
      await admin.patch(admin.typeOf(desired), desired.metadata, edit);
      expect(await applied()).toBe('configured');
      expect(await admin.get(admin.typeOf(desired), desired.metadata)).toMatchObject({
        spec: desired.spec,
      });
    },
  );

  it.each(['Deployment', 'StatefulSet'])(
    'allows a %s to be the owner of its PodDisruptionBudget',
    async (kind) => {
      const template = objectOf(kind, namespace);
      const owner = await admin.create({
        ...template,
        metadata: { ...template.metadata, name: 'owner' },
      });
      const { apiVersion, metadata } = owner;
      const { name, uid = '' } = metadata;
      const reference = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
      const budget = objectOf('PodDisruptionBudget', namespace);
      const named = { ...budget.metadata, name: `of-${kind.toLowerCase()}` };
      const desired = { ...budget, metadata: { ...named, ownerReferences: [reference] } };
      const { outcome } = await host.applier.apply({ desired, owns: () => true });
      expect(outcome).toBe('created');
    },
  );

  it('allows Events of single objects to be read', async () => {
    const pod = { kind: 'Pod', namespace, name: 'slow' };
    for (const uid of ['asked', 'other'])
      await admin.create({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: `slow.${uid}`, namespace },
        involvedObject: { ...pod, uid },
        type: 'Warning',
        reason: 'FailedMount',
        count: 3,
        message: `of ${uid}`,
        source: { component: 'kubelet' },
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:01:00Z',
      });
    const reader = new EventReader({
      clock: systemClock,
      random: Math.random,
      log: memoryLog(),
      onChange: () => undefined,
    });
    const targets = [{ uid: 'asked', state: '' }];
    reader.observe('demo', { client: host.client, namespace, targets });
    await eventually(
      'the Event is read',
      () => reader.of('demo').events.length > 0,
      () => reader.of('demo'),
    );
    const { events } = reader.of('demo');
    reader.close();
    const [firstAt, lastAt] = ['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'].map(Date.parse);
    const fact = { uid: 'asked', reason: 'FailedMount', note: 'of asked', count: 3 };
    expect(events).toEqual([{ ...fact, firstAt, lastAt }]);
  });

  it.each(['Service', 'Secret', 'NetworkPolicy'])(
    'allows a %s to be created and repaired',
    async (kind) => {
      const named = objectOf(kind, namespace);
      const desired = { ...named, metadata: { ...named.metadata, name: 'kept' } };
      const applied = async (): Promise<string> =>
        (await host.applier.apply({ desired, owns: () => true })).outcome;
      expect(await applied()).toBe('created');
      const labels = { 'app.kubernetes.io/instance': 'other' };
      await admin.patch(admin.typeOf(desired), keyOf(desired), { metadata: { labels } });
      expect(await applied()).toBe('configured');
    },
  );

  it.each(['Secret', ...Object.keys(specs)])(
    'allows a %s to be deleted when it has changed since it was read',
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

  it('allows PVCs to be annotated and evidence of etcd data to be read', async () => {
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

  it('allows a Pod to join an etcd cluster', async () => {
    const pod = podOf(objectOf('StatefulSet', namespace));
    const named = { ...pod, metadata: { ...pod.metadata, name: 'joining' } };
    const { name, uid = '' } = (await admin.create(named)).metadata;
    const step = { kind: 'endJoin', pod: { name, uid }, message: '' };
    const snapshot = { karmada: { metadata: { name: 'demo', namespace } } };
    expect(await changeObjects(host.client, step as never, snapshot as never)).toBe(true);
    const joined = await admin.get(resources.Pod, { namespace, name });
    expect(joined.metadata.annotations).toHaveProperty([JOINED_ANNOTATION], 'true');
  });

  it('allows a silent etcd member to be excluded from Services', async () => {
    const { metadata, ...object } = podOf(objectOf('StatefulSet', namespace));
    const labels = { 'app.kubernetes.io/name': 'etcd', 'app.kubernetes.io/instance': 'silent' };
    const names = ['silent-etcd-0', 'silent-etcd-1', 'silent-etcd-2'];
    const conditions = [{ type: 'Ready', status: 'True' }];
    const pods = await Promise.all(
      names.map(async (name) => {
        const pod = await admin.create({ ...object, metadata: { ...metadata, name, labels } });
        return admin.patch(resources.Pod, keyOf(pod), { status: { conditions } }, STATUS);
      }),
    );
    const [silent] = pods;
    const answers = pods.map(({ metadata: { name, uid = '' } }) =>
      name === names[0]
        ? { pod: name, podUid: uid, at: Date.now(), cause: 'no response' }
        : { ...answerOf(name, names.slice(1)), podUid: uid, at: Date.now() },
    );
    const tools = { ...host, ask: () => Promise.resolve(answers), clock: systemClock };
    const action = { kind: 'excludeEtcdMember', silent: { pod: silent, silence: 'one' } } as never;
    const more = { log: memoryLog(), instance: {} };
    expect(await excludeMember({ ...tools, ...more }, action)).toEqual({ writes: 1 });
  });

  it('allows the Pod and the PVC of an etcd recovery to be created', async () => {
    for (const kind of ['PersistentVolumeClaim', 'Pod']) {
      const { metadata, ...object } = objectOf(kind, namespace);
      const named = { ...object, metadata: { ...metadata, name: 'recovery' } };
      const pod = { automountServiceAccountToken: false, ...template.spec };
      const created = await host.client.create(kind === 'Pod' ? { ...named, spec: pod } : named);
      expect(created.metadata.name).toBe('recovery');
    }
  });

  it('allows createOnly to detect an existing Secret', async () => {
    const secret = { ...objectOf('Secret', namespace), stringData: { key: 'value' } };
    const outcomes = [await host.applier.createOnly(secret), await host.applier.createOnly(secret)];
    expect(outcomes.map((result) => result.outcome)).toEqual(['created', 'conflict']);
  });

  it('allows a terminating Namespace to be detected', async () => {
    const name = `${namespace}-ending`;
    await admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await admin.delete(resources.Namespace, { name });
    await eventually('the terminating Namespace is detected', () => isNamespaceEnding(host, name));
  });

  return {
    get host() {
      return host;
    },
    stop: async () => void (await Promise.all(allOf(host).map((informer) => informer.stop()))),
  };
}

const allOf = ({ informers, optional }: Host) => [...informers, ...optional];

const STATUS = { subresource: 'status' } as const;

/** A scheduler Pod of the Karmada `karmada`. The API servers of these tests run without a kube-scheduler. */
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
