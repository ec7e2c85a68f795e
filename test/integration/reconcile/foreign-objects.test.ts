/** Secrets of others with the names of a control plane, with a real API server and without Pods. */
import { X509Certificate } from 'node:crypto';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Condition, Karmada } from '../../../src/api/karmada.ts';
import { INSTANCE, MANAGED_BY, MANAGER } from '../../../src/api/labels.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import type { Reconciler } from '../../../src/kubernetes/workqueue/reconciler.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { ensureCertificates } from '../../../src/pki/ensure.ts';
import { allAbsent, INPUTS, NO_LIFE, ready } from '../../../src/pki/fixture.test-data.ts';
import { makeKey } from '../../../src/pki/keys.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { adminClient, eventually } from '../../harness/servers/apiserver-client.ts';
import { serveKarmadas, startReconciler } from '../../harness/servers/reconciler.ts';

const name = 'karmada';

let api: ApiServer;
let client: KubernetesClient;
let reconciler: Reconciler;
let namespace = '';
let count = 0;
/** Data of the Secrets of another control plane, by role. */
let others: ReadonlyMap<string, Readonly<Record<string, string>>>;

beforeAll(async () => {
  api = await startApiServer();
  client = adminClient(api, { resources: [karmadas] });
  await serveKarmadas(client);
  reconciler = await startReconciler(client);
  const inputs = { ...INPUTS, name };
  const keys = { generate: () => makeKey('ec-p256') };
  const request = { inputs, reads: allAbsent(inputs), lifeSigns: NO_LIFE };
  const issued = await ensureCertificates(request, { keys, now: new Date(), random: randomBytes });
  others = new Map(ready(issued).secrets.map(({ role, data }) => [role, data]));
});

afterAll(async () => {
  await reconciler.stop();
  await client.close();
  await api.stop();
});

beforeEach(async () => {
  count += 1;
  namespace = `foreign-${String(count)}`;
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
});

/** A Secret as `karmadactl init` leaves it: with the name of a Secret of the control plane, and without its labels. */
const leftover = (role: string, labels: Record<string, string> = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'Opaque',
  metadata: { name: `${name}-${role}`, namespace, labels },
  data: others.get(role),
});

const createKarmada = (): Promise<unknown> =>
  client.create({
    apiVersion: `${karmadas.group}/v1alpha1`,
    kind: 'Karmada',
    metadata: { name, namespace },
    spec: { components: { etcd: { local: { volumeData: { emptyDir: {} } } } } },
  });

const reconcile = (): Promise<unknown> =>
  reconciler.reconcile(`${namespace}/${name}`, new AbortController().signal);

async function readyCondition(): Promise<Condition | undefined> {
  const { status } = (await client.get(karmadas, { namespace, name })) as unknown as Karmada;
  return status?.conditions?.find(({ type }) => type === 'Ready');
}

const untilReason = (reason: string): Promise<Condition> =>
  eventually(`Ready has the reason ${reason}`, async () => {
    await reconcile();
    const found = await readyCondition();
    return found?.reason === reason ? found : undefined;
  });

/** Names of all objects that the operator could have created. */
async function created(): Promise<readonly string[]> {
  const types = [resources.Secret, resources.Service, resources.Deployment, resources.StatefulSet];
  const pages = await Promise.all(types.map((type) => client.list(type, { namespace })));
  return pages.flatMap(({ items }) => items.map(({ metadata }) => metadata.name)).sort();
}

const bundleOf = async (role: string): Promise<string | undefined> => {
  const secret = await client.find(resources.Secret, { namespace, name: `${name}-${role}` });
  const { 'ca.crt': bundle } = (secret?.['data'] ?? {}) as Readonly<Record<string, string>>;
  return bundle === undefined ? undefined : Buffer.from(bundle, 'base64').toString('utf8');
};

it.each(['cert', 'ca-backup', 'service-account-key', 'etcd-cert', 'admin-config'])(
  'creates nothing, and reads no key, when a foreign Secret is named as %s',
  async (role) => {
    await client.create(leftover(role));
    await createKarmada();
    const { status, message } = await untilReason('Conflict');
    expect(status).toBe('False');
    expect(message).toContain(`Secret ${namespace}/${name}-${role}: exists, but the operator`);
    await reconcile();
    expect(await created()).toEqual([`${name}-${role}`]);
  },
);

it('creates CAs of its own when the foreign Secret is gone', async () => {
  await client.create(leftover('cert'));
  await createKarmada();
  await untilReason('Conflict');
  await client.delete(resources.Secret, { namespace, name: `${name}-cert` });
  const bundle = await eventually('the CA backup Secret exists', async () => {
    await reconcile();
    return bundleOf('ca-backup');
  });
  const foreign = Buffer.from(others.get('cert')?.['ca.crt'] ?? '', 'base64').toString('utf8');
  expect(new X509Certificate(bundle).fingerprint256).not.toBe(
    new X509Certificate(foreign).fingerprint256,
  );
});

it('uses a restored CA backup Secret with the labels of the control plane', async () => {
  await client.create(leftover('ca-backup', { [MANAGED_BY]: MANAGER, [INSTANCE]: name }));
  await createKarmada();
  const bundle = await eventually('the certificates exist', async () => {
    await reconcile();
    return bundleOf('cert');
  });
  expect(Buffer.from(bundle).toString('base64')).toBe(others.get('ca-backup')?.['ca.crt']);
});

it('keeps using its own Secrets when they lost their labels', async () => {
  await createKarmada();
  const bundle = await eventually('the certificates exist', async () => {
    await reconcile();
    return bundleOf('cert');
  });
  for (const role of ['cert', 'ca-backup', 'service-account-key'])
    await client.patch(
      resources.Secret,
      { namespace, name: `${name}-${role}` },
      { metadata: { labels: { [MANAGED_BY]: null, [INSTANCE]: null } } },
      { fieldManager: 'somebody' },
    );
  await eventually('the labels are back', async () => {
    await reconcile();
    const found = await client.get(resources.Secret, { namespace, name: `${name}-cert` });
    return found.metadata.labels?.[INSTANCE] === name;
  });
  expect(await bundleOf('cert')).toBe(bundle);
  expect((await readyCondition())?.reason).not.toBe('Conflict');
});
