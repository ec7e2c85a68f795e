/** Adoption of control planes of the Go operator, with a real API server and without Pods. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Condition, Karmada } from '../../../src/api/karmada.ts';
import { INSTANCE, isOurs, MANAGED_BY, MANAGER } from '../../../src/api/labels.ts';
import { Applier } from '../../../src/kubernetes/apply/apply.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { microTime } from '../../../src/kubernetes/objects/lease.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import type { Reconciler } from '../../../src/kubernetes/workqueue/reconciler.ts';
import { ensureCertificates } from '../../../src/pki/ensure.ts';
import { allAbsent, INPUTS, NO_LIFE, ready } from '../../../src/pki/fixture.test-data.ts';
import { makeKey } from '../../../src/pki/keys.ts';
import { ADOPTION_ANNOTATION } from '../../../src/features/adoption/decide-adoption.ts';
import { withFirstRollout } from '../../../src/features/adoption/first-rollout.ts';
import { desiredObject } from '../../../src/instance/desired-objects.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { adminClient, eventually } from '../../harness/servers/apiserver-client.ts';
import { serveKarmadas, startReconciler } from '../../harness/servers/reconciler.ts';

const name = 'demo';
/** The Go operator writes with this manager. */
const BY_GO = { fieldManager: 'karmada-operator' };
/** Secrets that the Go operator writes too, among those of this operator. */
const ROLES = ['cert', 'etcd-cert', 'webhook-cert', 'admin-config'];

let api: ApiServer;
let client: KubernetesClient;
let reconciler: Reconciler;
let namespace = '';
let count = 0;

beforeAll(async () => {
  api = await startApiServer();
  client = adminClient(api, { resources: [karmadas] });
  await serveKarmadas(client);
  reconciler = await startReconciler(client);
});

afterAll(async () => {
  await reconciler.stop();
  await client.close();
  await api.stop();
});

const secret = (called: string, data: unknown, labels: object): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: called, namespace, labels: { ...labels } as Record<string, string> },
  data,
});

/** Creates a namespace with the Karmada and the Secrets of a control plane that the Go operator created. */
beforeEach(async () => {
  count += 1;
  namespace = `adoption-${String(count)}`;
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  for (const { name: called, data } of await goSecrets())
    await client.create(secret(called, data, { [MANAGED_BY]: MANAGER }), BY_GO);
  const metadata = { name, namespace, finalizers: ['operator.karmada.io/finalizer'] };
  const spec = { components: { etcd: { local: { volumeData: { emptyDir: {} } } } } };
  await client.create({
    apiVersion: karmadas.group + '/v1alpha1',
    kind: 'Karmada',
    metadata,
    spec,
  });
});

async function goSecrets(): Promise<readonly { readonly name: string; readonly data: object }[]> {
  const inputs = { ...INPUTS, name, namespace };
  const issuance = {
    keys: { generate: () => makeKey('ec-p256') },
    now: new Date(),
    random: randomBytes,
  };
  const request = { inputs, reads: allAbsent(inputs), lifeSigns: NO_LIFE };
  const { secrets } = ready(await ensureCertificates(request, issuance));
  return secrets.filter(({ role }) => ROLES.includes(role));
}

const reconcile = (): Promise<unknown> =>
  reconciler.reconcile(`${namespace}/${name}`, new AbortController().signal);

async function adopted(): Promise<Condition | undefined> {
  const { status } = (await client.get(karmadas, { namespace, name })) as unknown as Karmada;
  return status?.conditions?.find(({ type }) => type === 'Adopted');
}

const untilAdopted = (reason: string): Promise<Condition> =>
  eventually(`Adopted has the reason ${reason}`, async () => {
    await reconcile();
    const found = await adopted();
    return found?.reason === reason ? found : undefined;
  });

/** resourceVersion and labels of the Secrets. */
async function secrets(): Promise<Record<string, string>> {
  const { items } = await client.list(resources.Secret, { namespace });
  return Object.fromEntries(
    items.map(({ metadata }) => [metadata.name, `${metadata.resourceVersion ?? ''}`]),
  );
}

const annotate = (value: string): Promise<unknown> =>
  client.patch(
    karmadas,
    { namespace, name },
    {
      metadata: { annotations: { [ADOPTION_ANNOTATION]: value } },
    },
  );

it.each([
  ['AdoptionPending', undefined],
  ['AdoptionPending', 'DryRun'],
  ['AdoptionDisabled', 'Never'],
])('writes only the status with the reason %s when the annotation is %s', async (reason, mode) => {
  if (mode !== undefined) await annotate(mode);
  const before = await secrets();
  await untilAdopted(reason);
  await reconcile();
  expect(await secrets()).toEqual(before);
  const { items } = await client.list(resources.Service, { namespace });
  expect(items).toEqual([]);
  const { spec } = (await client.get(karmadas, { namespace, name })) as unknown as Karmada;
  expect(spec?.components?.karmadaAPIServer).toBeUndefined();
});

it('waits when the Go operator renews its Lease, and adopts when the Lease has expired', async () => {
  await annotate('Automatic');
  const key = { namespace, name: 'karmada-operator' };
  const spec = (renewTime: string): object => ({
    holderIdentity: 'go',
    leaseDurationSeconds: 60,
    renewTime,
  });
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: key };
  await client.create({ ...lease, spec: spec(microTime(Date.now())) });
  const before = await secrets();
  expect((await untilAdopted('GoOperatorRunning')).message).toContain(`${namespace}/karmada-op`);
  expect(await secrets()).toEqual(before);
  await client.patch(resources.Lease, key, { spec: spec(microTime(Date.now() - 61_000)) });
  await untilLabelled();
});

/** Waits until the Secret with the CAs has the label of the Karmada. */
const untilLabelled = (): Promise<KubernetesObject> =>
  eventually('the Secret with the CAs is adopted', async () => {
    await reconcile();
    const cert = await client.get(resources.Secret, { namespace, name: 'demo-karmada-cert' });
    return cert.metadata.labels?.[INSTANCE] === name ? cert : undefined;
  });

it('keeps the CAs, and copies the ServiceAccount key before it may be reissued', async () => {
  const key = (suffix: string): { namespace: string; name: string } => ({
    namespace,
    name: `demo-karmada-${suffix}`,
  });
  const dataOf = async (suffix: string): Promise<Record<string, string>> =>
    (await client.get(resources.Secret, key(suffix)))['data'] as Record<string, string>;
  const before = await dataOf('cert');
  await annotate('Automatic');
  await untilLabelled();
  const own = await eventually('the ServiceAccount key has its own Secret', async () => {
    await reconcile();
    return dataOf('service-account-key').catch(() => undefined);
  });
  const after = await dataOf('cert');
  expect(own['service-account.key']).toBe(before['karmada.key']);
  for (const file of ['ca.key', 'etcd-ca.key', 'front-proxy-ca.key'])
    expect(after[file]).toBe(before[file]);
});

it('adopts nothing when a Secret belongs to another CA', async () => {
  const foreign = (await goSecrets()).find(({ name: called }) => called.endsWith('webhook-cert'));
  const named = { namespace, name: 'demo-karmada-webhook-cert' };
  await client.patch(resources.Secret, named, { data: foreign?.data });
  await annotate('Automatic');
  const before = await secrets();
  expect((await untilAdopted('AdoptionConflict')).message).toContain('webhook-cert');
  expect(await secrets()).toEqual(before);
});

it('deletes the Secrets of the Go operator together with a Karmada that was never adopted', async () => {
  await untilAdopted('AdoptionPending');
  await client.delete(karmadas, { namespace, name });
  await eventually('the Karmada is gone', async () => {
    await reconcile();
    return (await client.find(karmadas, { namespace, name })) === undefined ? true : undefined;
  });
  expect(await secrets()).toEqual({});
});

it('takes over the fields of a Deployment, and deletes its Pods first while they exclude new ones', async () => {
  const labels = { [MANAGED_BY]: MANAGER, [INSTANCE]: name, 'app.kubernetes.io/name': 'kcm' };
  const selector = { matchLabels: { app: 'kcm' } };
  const key = { namespace, name: 'kcm' };
  const podOf = (given: object): object => ({
    metadata: { labels: { app: 'kcm' } },
    spec: { containers: [{ name: 'c', image: 'example.com/c:1', ...given }] },
  });
  const rule = { labelSelector: selector, topologyKey: 'kubernetes.io/hostname' };
  const rules = { requiredDuringSchedulingIgnoredDuringExecution: [rule] };
  const exec = { livenessProbe: { exec: { command: ['/bin/sh'] } }, command: ['kcm', '--v=4'] };
  const go = podOf(exec) as { spec: object };
  const template = { ...go, spec: { ...go.spec, affinity: { podAntiAffinity: rules } } };
  const common = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { ...key, labels } };
  await client.create({ ...common, spec: { selector, template } }, BY_GO);
  const wanted = podOf({ livenessProbe: { httpGet: { port: 1 } } });
  const desired = {
    ...desiredObject('host', 'kube-controller-manager', {
      ...common,
      spec: { selector, template: wanted, strategy: { type: 'RollingUpdate' } },
    }),
  };
  const applier = new Applier({ client, fieldManager: 'karmada-operator' });
  const pass = async (): Promise<KubernetesObject> => {
    const objects = [await client.get(resources.Deployment, key)];
    const host = { objects, pods: [], claims: [] };
    const [item] = withFirstRollout({ objects: [desired], steps: new Set() }, { host }).objects;
    const object = item?.object ?? common;
    const result = await applier.apply({ desired: object, owns: (live) => isOurs(live, name) });
    expect(result.outcome).toBe('configured');
    return client.get(resources.Deployment, key);
  };
  const first = (await pass())['spec'] as { strategy: object; template: { spec: object } };
  expect(first.strategy).toEqual({ type: 'Recreate' });
  expect(first.template.spec).not.toHaveProperty('affinity');
  expect(JSON.stringify(first.template)).not.toMatch(/exec|--v=4/);
  const ready = { readyReplicas: 1, availableReplicas: 1, observedGeneration: 2 };
  const counts = { replicas: 1, updatedReplicas: 1, ...ready };
  await client.patch(resources.Deployment, key, { status: counts }, { subresource: 'status' });
  const second = (await pass())['spec'] as { strategy: { type: string } };
  expect(second.strategy.type).toBe('RollingUpdate');
});
