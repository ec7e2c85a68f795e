import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { FEATURES_ANNOTATION } from '../../../src/api/features.ts';
import { FINALIZER, type Karmada } from '../../../src/api/karmada.ts';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { intentHash } from '../../../src/kubernetes/objects/intent.ts';
import {
  conditionOf,
  identity,
  type KubernetesObject,
  type ObjectMeta,
} from '../../../src/kubernetes/objects/object.ts';
import { resources, type ResourceType } from '../../../src/kubernetes/objects/resources.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import { applyObject } from '../../../src/features/components/apply-object.ts';
import { ControlPlaneClient } from '../../../src/control-plane-access/control-plane-client.ts';
import type { DesiredObject } from '../../../src/instance/desired-objects.ts';
import { INSTANCE, MANAGED_BY, MANAGER } from '../../../src/api/labels.ts';
import type { Reconciler } from '../../../src/kubernetes/workqueue/reconciler.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { adminClient, eventually, memoryLog } from '../../harness/servers/apiserver-client.ts';
import { serveKarmadas, startReconciler } from '../../harness/servers/reconciler.ts';

const admission = (kind: string, plural: string): ResourceType => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind,
  plural,
  namespaced: false,
});
const policies = admission('ValidatingAdmissionPolicy', 'validatingadmissionpolicies');
const bindings = admission('ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings');

let api: ApiServer;
let client: KubernetesClient;
let reconciler: Reconciler;

beforeAll(async () => {
  api = await startApiServer();
  client = adminClient(api, { resources: [karmadas, policies, bindings] });
  await serveKarmadas(client);
  reconciler = await startReconciler(client);
});

afterAll(async () => {
  await reconciler.stop();
  await client.close();
  await api.stop();
});

it('applyObject repairs an edited CRD of a control plane once when its generation has changed', async () => {
  const plane = new ControlPlaneClient(
    {
      server: api.url,
      ca: api.caData,
      certificate: api.admin.cert,
      key: api.admin.key,
    },
    {
      clock: systemClock,
      random: Math.random,
      log: memoryLog(),
      onChange: () => undefined,
      userAgent: 'test',
    },
  );
  plane.start();
  const labels = { [MANAGED_BY]: MANAGER, [INSTANCE]: 'demo' };
  const definition = widgets(labels);
  const target: DesiredObject = {
    object: definition,
    cluster: 'controlPlane',
    step: 'crds',
    hash: intentHash(definition),
    id: identity(definition),
  };
  const settled = new Map<string, string>();
  const pass = async (): Promise<number> => {
    const cached = plane
      .objects()
      .find(({ metadata }) => metadata.name === definition.metadata.name);
    const tools = { instance: { key: 'team/demo', settled }, name: 'demo' };
    const writers = { host: { client, applier: plane.applier }, controlPlane: plane };
    const action = { kind: 'apply', target, ...(cached && { cached }) } as const;
    const { writes = 0 } = await applyObject({ ...tools, ...writers }, action);
    return writes;
  };
  const version = async (): Promise<{ generation: number; resourceVersion: string }> => {
    const { metadata } = await client.get(resources.CustomResourceDefinition, definition.metadata);
    const { generation = 0, resourceVersion = '' } = metadata;
    return { generation, resourceVersion };
  };
  const seen = async (): Promise<void> => {
    await eventually('the cache is up to date', async () => {
      const { resourceVersion } = await version();
      return plane.objects().some(({ metadata }) => metadata.resourceVersion === resourceVersion);
    });
  };
  expect(await pass()).toBe(1);
  await eventually('the CRD is Established', async () => {
    const live = await client.get(resources.CustomResourceDefinition, definition.metadata);
    return conditionOf(live, 'Established')?.status === 'True';
  });
  await seen();
  expect(await pass()).toBe(0);
  const stored = plane.objects().find(({ metadata }) => metadata.name === 'widgets.example.com');
  expect(Object.keys(stored ?? {})).not.toContain('spec');
  const edit = [{ op: 'replace', path: '/spec/names/shortNames', value: ['edited'] }];
  await client.patch(resources.CustomResourceDefinition, definition.metadata, edit);
  await seen();
  expect(await pass()).toBe(1);
  const { generation } = await version();
  const live = await client.get(resources.CustomResourceDefinition, definition.metadata);
  expect(live['spec']).toMatchObject({ names: { shortNames: ['wg'] } });
  await seen();
  expect([await pass(), await pass()]).toEqual([0, 0]);
  expect((await version()).generation).toBe(generation);
  await plane.close();
});

function widgets(labels: Readonly<Record<string, string>>): KubernetesObject {
  const schema = { openAPIV3Schema: { type: 'object', description: 'Made for a test.' } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com', labels },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind: 'Widget', plural: 'widgets', singular: 'widget', shortNames: ['wg'] },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

const findKarmada = async (namespace: string): Promise<Karmada> =>
  (await client.get(karmadas, { namespace, name: 'demo' })) as unknown as Karmada;

async function createKarmada(namespace: string, more: Partial<ObjectMeta> = {}): Promise<void> {
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await client.create({
    apiVersion: karmadas.group + '/' + karmadas.version,
    kind: 'Karmada',
    metadata: { name: 'demo', namespace, ...more },
    spec: {},
  });
}

it('reconcile creates nothing, reports it and stops writing when the Namespace is terminating', async () => {
  await createKarmada('ending');
  // No controller removes the content of Namespaces here, so the Namespace stays terminating.
  await client.delete(resources.Namespace, { name: 'ending' });
  const key = 'ending/demo';
  const told = await eventually('the status says so', async () => {
    // The cache may not contain the terminating Namespace yet; rejected creates are then retried.
    await reconciler.reconcile(key, new AbortController().signal).catch(() => undefined);
    const karmada = await findKarmada('ending');
    const ready = karmada.status?.conditions?.find(({ type }) => type === 'Ready');
    return ready?.reason === 'NamespaceTerminating' ? karmada : undefined;
  });
  expect(told.status).toMatchObject({
    phase: 'Deleting',
    conditions: expect.arrayContaining([
      expect.objectContaining({
        type: 'Ready',
        status: 'False',
        message: 'Namespace: terminating; the operator creates and changes nothing in it',
      }),
    ]),
  });
  const result = await reconciler.reconcile(key, new AbortController().signal);
  expect(result).toEqual({});
  expect((await findKarmada('ending')).metadata.resourceVersion).toBe(
    told.metadata.resourceVersion,
  );
  for (const type of [resources.Secret, resources.Service, resources.StatefulSet])
    expect((await client.list(type, { namespace: 'ending' })).items).toEqual([]);
});

it('reconcile changes and deletes nothing of a control plane with a feature that it does not know', async () => {
  const annotations = { [FEATURES_ANNOTATION]: 'encryption@9.9.9' };
  await createKarmada('newer', { annotations, finalizers: [FINALIZER] });
  const pass = (): Promise<unknown> =>
    reconciler.reconcile('newer/demo', new AbortController().signal);
  const told = await eventually('the status says so', async () => {
    await pass();
    const karmada = await findKarmada('newer');
    const found = karmada.status?.conditions?.filter(
      ({ reason }) => reason === 'NewerOperatorRequired',
    );
    return found !== undefined && found.length > 0 && { karmada, found };
  });
  expect(told.found.map(({ type, status }) => [type, status])).toEqual([
    ['Ready', 'False'],
    ['Stalled', 'True'],
  ]);
  expect(told.found[0]?.message).toContain('(encryption, since 9.9.9)');
  expect(told.karmada.spec).toEqual({});
  expect(await pass()).toEqual({});
  await client.delete(karmadas, { namespace: 'newer', name: 'demo' });
  await eventually('the operator sees the deletion', async () => {
    await pass();
    const { status, metadata } = await findKarmada('newer');
    return (
      metadata.deletionTimestamp !== undefined && status?.observedGeneration === metadata.generation
    );
  });
  expect((await findKarmada('newer')).metadata.finalizers).toEqual([FINALIZER]);
  for (const type of [resources.Secret, resources.Service, resources.StatefulSet])
    expect((await client.list(type, { namespace: 'newer' })).items).toEqual([]);
});

it('reconcile reports its failure when an admission policy rejects all changes, until it succeeds again', async () => {
  const spec = {
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: [karmadas.group],
          apiVersions: ['*'],
          operations: ['UPDATE'],
          resources: [karmadas.plural],
        },
      ],
    },
    validations: [{ expression: 'false', message: 'nobody changes these' }],
  };
  const metadata = { name: 'frozen' };
  const kind = { apiVersion: 'admissionregistration.k8s.io/v1' };
  await client.create({ ...kind, kind: policies.kind, metadata, spec });
  await client.create({
    ...kind,
    kind: bindings.kind,
    metadata,
    spec: { policyName: 'frozen', validationActions: ['Deny'] },
  });
  await createKarmada('refused');
  const edit = [{ op: 'add', path: '/metadata/annotations', value: { edited: 'yes' } }];
  await eventually('the policy rejects updates', () =>
    client.patch(karmadas, { namespace: 'refused', name: 'demo' }, edit).then(
      () => undefined,
      () => true,
    ),
  );
  const pass = (): Promise<unknown> =>
    reconciler.reconcile('refused/demo', new AbortController().signal).catch(String);
  const told = await eventually('the status says so', async () => {
    await pass();
    const { status } = await findKarmada('refused');
    return status?.conditions?.some(({ reason }) => reason === 'ReconcileFailed') && status;
  });
  expect(told.phase).toBe('Failed');
  expect(told.conditions).toEqual(
    ['Ready', 'Progressing', 'Degraded', 'Stalled'].map((type) =>
      expect.objectContaining({
        type,
        status: type === 'Degraded' || type === 'Stalled' ? 'True' : 'False',
        message: expect.stringContaining('nobody changes these'),
      }),
    ),
  );
  await client.delete(bindings, metadata);
  await eventually('the next reconcile reports its observation', async () => {
    await pass();
    const { conditions = [] } = (await findKarmada('refused')).status ?? {};
    return conditions.every(({ reason }) => reason !== 'ReconcileFailed');
  });
});
