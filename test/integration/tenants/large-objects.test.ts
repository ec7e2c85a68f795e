/**
 * An operator with a small heap, and a tenant whose namespace contains many large objects with the labels of the operator.
 *
 * @size medium
 * @tier all
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { karmadaCrd } from '../../../scripts/crd/karmada.ts';
import type { Karmada } from '../../../src/api/karmada.ts';
import { MANAGED_BY, MANAGER, INSTANCE } from '../../../src/api/labels.ts';
import { createClient } from '../../../src/kubernetes/client/client.ts';
import {
  explicitEndpoint,
  type ExplicitAccess,
} from '../../../src/kubernetes/connection/connection.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { karmadaOf, layArchive, namespaceOf, numbered } from '../../harness/hosts/fleet.ts';
import { startOperatorProcess, type OperatorProcess } from '../../harness/load/fleet.ts';
import { runsAll } from '../../harness/sample.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';

jest.setTimeout(900_000);

/** MiB. The lists of the Secrets below have several times as many. */
const HEAP = 96;
const SECRETS = runsAll ? 300 : 150;
const MIB = 1_048_576;

let api: ApiServer;
let access: ExplicitAccess;
let client: KubernetesClient;
let directory: string;
let operator: OperatorProcess | undefined;

beforeAll(async () => {
  api = await startApiServer();
  const { cert: certData, key: keyData } = api.admin;
  access = { server: api.url, caData: api.caData, certData, keyData };
  client = createClient(explicitEndpoint(access), { resources: [karmadas] });
  directory = await mkdtemp(join(tmpdir(), 'operator-large-'));
  await layArchive(directory);
  await client.create(karmadaCrd as unknown as KubernetesObject);
  await poll('the CRD is served', (seen) =>
    client.list(karmadas).catch((error: unknown) => void seen(String(error))),
  );
  for (const name of ['greedy', 'modest']) {
    await client.create(namespaceOf(name));
    await client.create(karmadaOf(name));
  }
});

afterEach(async () => {
  await operator?.stop();
});

afterAll(async () => {
  await client.close();
  await api.stop();
  await rm(directory, { recursive: true, force: true });
});

const labels = { [MANAGED_BY]: MANAGER, [INSTANCE]: 'greedy' };

const secretOf = (name: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'greedy', labels },
  data: { content: Buffer.alloc(MIB - 16_384, name).toString('base64') },
});

/** A Deployment without Pods, with an environment variable of 1 MiB. */
const deploymentOf = (name: string): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'greedy', labels },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        containers: [{ name, image: 'none', env: [{ name: 'LONG', value: 'x'.repeat(MIB) }] }],
      },
    },
  },
});

/** Creates or deletes a few objects at a time. */
async function each<T>(items: readonly T[], action: (item: T) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < items.length; start += 8)
    await Promise.all(items.slice(start, start + 8).map(action));
}

function start(): OperatorProcess {
  // The times of the Lease are long enough for a machine that runs other suites meanwhile.
  const flags = ['--leader-elect-lease-duration=120s', '--leader-elect-renew-deadline=90s'];
  operator = startOperatorProcess(access, directory, { heap: HEAP, flags });
  return operator;
}

async function show(what: string): Promise<void> {
  const { peak, now } = (await operator?.memory()) ?? { peak: 0, now: 0 };
  process.stderr.write(
    `${what}: ${String(peak)} MiB at most, ${String(now)} MiB now, heap ${String(HEAP)} MiB\n`,
  );
}

/** Deletes a Service of a control plane, and waits until the operator has created it again. */
async function expectRepair(running: OperatorProcess, name: string): Promise<void> {
  const key = { namespace: name, name: `${name}-karmada-webhook` };
  const find = async (seen: (text: string) => void): Promise<KubernetesObject | undefined> => {
    if (!running.isRunning()) throw new Error(running.lines.slice(-20).join('\n'));
    seen(running.lines.slice(-3).join('\n'));
    return client.find(resources.Service, key);
  };
  const { metadata } = await poll(`the Service of ${name} exists`, find);
  await client.delete(resources.Service, key);
  await poll(`the Service of ${name} exists again`, async (seen) => {
    const found = await find(seen);
    return found !== undefined && found.metadata.uid !== metadata.uid ? found : undefined;
  });
}

/** Names and uids of the objects of the greedy control plane. A new CA, or a deleted object, would change them. */
async function ownObjects(): Promise<readonly string[]> {
  const kinds = [resources.Secret, resources.Service, resources.Deployment, resources.StatefulSet];
  const lists = await Promise.all(
    kinds.map((type) => client.list(type, { namespace: 'greedy', metadataOnly: true })),
  );
  const objects = lists.flatMap(({ items }) => items).map(({ metadata }) => metadata);
  return objects
    .filter(({ name }) => name.startsWith('greedy-'))
    .map(({ name, uid = '' }) => `${name} ${uid}`)
    .sort();
}

/** Waits until the greedy namespace is dropped, and its Karmada object names the limit. */
const isNamed = (running: OperatorProcess): Promise<true> =>
  poll('the namespace is named', async (seen) => {
    const reason = await readyReason('greedy');
    seen(`${String(reason)}; ${running.lines.slice(-3).join('\n')}`);
    return reason === 'NamespaceLimitExceeded' ? true : undefined;
  });

const readyReason = async (name: string): Promise<string | undefined> => {
  const found = (await client.get(karmadas, { namespace: name, name })) as unknown as Karmada;
  return found.status?.conditions?.find(({ type }) => type === 'Ready')?.reason;
};

describe(`operator with a heap of ${String(HEAP)} MiB`, () => {
  let before: readonly string[] = [];

  it('installs two control planes', async () => {
    const running = start();
    for (const name of ['modest', 'greedy']) await expectRepair(running, name);
    before = await poll('the greedy control plane has its Secrets', async (seen) => {
      const own = await ownObjects();
      seen(own.join(', '));
      return own.some((name) => name.startsWith('greedy-karmada-cert')) ? own : undefined;
    });
  });

  it(`starts, repairs the other control plane and leaves the objects of a namespace with ${String(SECRETS)} Secrets of 1 MiB as they are, also while they change`, async () => {
    const names = numbered('large', SECRETS);
    await each(names, (name) => client.create(secretOf(name)));
    const running = start();
    await expectRepair(running, 'modest');
    await isNamed(running);
    await each(names.slice(0, 100), (name) =>
      client.patch(
        resources.Secret,
        { namespace: 'greedy', name },
        { metadata: { labels: { changed: 'x' } } },
      ),
    );
    await expectRepair(running, 'modest');
    expect(await readyReason('modest')).not.toBe('NamespaceLimitExceeded');
    await show(`${String(SECRETS)} Secrets of 1 MiB`);
    expect(await ownObjects()).toEqual(before);
    await each(names, (name) => client.delete(resources.Secret, { namespace: 'greedy', name }));
  });

  it('starts and repairs the other control plane with Karmada objects of 1 MiB in a namespace', async () => {
    const names = numbered('long', 100);
    const karmada = (name: string): KubernetesObject => ({
      ...karmadaOf(name),
      metadata: { name, namespace: 'greedy' },
      spec: {
        suspend: true,
        components: { karmadaAPIServer: { extraArgs: { long: 'x'.repeat(MIB) } } },
      },
    });
    await each(names, (name) => client.create(karmada(name)));
    const running = start();
    await expectRepair(running, 'modest');
    await isNamed(running);
    await show('100 Karmada objects of 1 MiB');
    expect(await ownObjects()).toEqual(before);
    await each(names, (name) => client.delete(karmadas, { namespace: 'greedy', name }));
    // Finalizers stay away, because the operator changed none of them.
    await poll('they are gone', async (seen) => {
      const { items } = await client.list(karmadas, { namespace: 'greedy', metadataOnly: true });
      seen(String(items.length));
      return items.length === 1 ? true : undefined;
    });
  });

  it('drops a namespace with too many bytes in its caches, and manages it again without them', async () => {
    const names = numbered('heavy', 30);
    await each(names, (name) => client.create(deploymentOf(name)));
    const running = start();
    await expectRepair(running, 'modest');
    await isNamed(running);
    expect(await readyReason('modest')).not.toBe('NamespaceLimitExceeded');
    await show('30 Deployments of 1 MiB');
    expect(await ownObjects()).toEqual(before);
    await each(names, (name) => client.delete(resources.Deployment, { namespace: 'greedy', name }));
    await running.stop();
    await expectRepair(start(), 'greedy');
    const unrepaired = (all: readonly string[]): readonly string[] =>
      all.filter((name) => !name.includes('-webhook '));
    expect(unrepaired(await ownObjects())).toEqual(unrepaired(before));
  });
});
