/**
 * What is done seldom, with no other rights than the operator is given: an end-to-end test that looks at what was asked
 * of the API server sees none of it.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadAll } from 'js-yaml';
import { systemClock } from '../../../src/kubernetes/clock.ts';
import type { KubernetesClient } from '../../../src/kubernetes/contract.ts';
import type { KubernetesObject } from '../../../src/kubernetes/object.ts';
import { pruneObject } from '../../../src/kubernetes/prune.ts';
import { resources } from '../../../src/kubernetes/resources.ts';
import { createHost, isNamespaceEnding, type Host } from '../../../src/reconcile/host.ts';
import { checkout } from '../../cluster/paths.ts';
import { startApiServer, type ApiServer } from '../apiserver.ts';
import { adminClient, clientWith, eventually, LABELS, memoryLog } from '../kubernetes/fixture.ts';

let api: ApiServer;
let admin: KubernetesClient;

beforeAll(async () => {
  api = await startApiServer();
  admin = adminClient(api);
});

afterAll(async () => {
  await admin.close();
  await api.stop();
});

async function roleIn(file: string): Promise<KubernetesObject> {
  const objects = loadAll(await readFile(join(checkout, file), 'utf8')) as KubernetesObject[];
  const role = objects.find(({ kind }) => kind === 'ClusterRole');
  if (role === undefined) throw new Error(`no ClusterRole in ${file}`);
  return role;
}

/** A client of a user who has just that role, bound to it as the file does: in the whole cluster. */
async function clientWithRole(role: KubernetesObject): Promise<KubernetesClient> {
  const { name } = role.metadata;
  const apiGroup = 'rbac.authorization.k8s.io';
  await admin.create(role);
  await admin.create({
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup, kind: 'ClusterRole', name },
    subjects: [{ apiGroup, kind: 'User', name }],
  });
  return clientWith(api, await api.clientPair(name, 'test'));
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

function objectOf(kind: string, namespace: string): KubernetesObject {
  const metadata = { name: 'demo', namespace, labels: LABELS };
  const [apiVersion, spec] = specs[kind] ?? ['v1', undefined];
  return { apiVersion, kind, metadata, ...(spec !== undefined && { spec }) };
}

describe.each([
  ['the operator’s own cluster', 'config/deploy/2-rights.yaml', 'own'],
  ['a host', 'config/remote-host/rights.yaml', 'remote'],
])('6. the role for %s', (_, file, namespace) => {
  let client: KubernetesClient;
  let host: Host;

  beforeAll(async () => {
    client = await clientWithRole(await roleIn(file));
    await admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const options = { clock: systemClock, random: Math.random, log: memoryLog() };
    host = createHost({ client, ...options });
    for (const informer of host.informers) informer.start();
  });

  afterAll(async () => {
    await Promise.all(host.informers.map((informer) => informer.stop()));
    await client.close();
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
});
