/**
 * An API server of a control plane accepts requests and does not answer them. Objects in the host cluster are repaired before the
 * first of these requests times out.
 *
 * @size medium
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MANAGED_BY, MANAGER } from '../../../src/api/labels.ts';
import type { Karmada } from '../../../src/api/karmada.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources, type ResourceType } from '../../../src/kubernetes/objects/resources.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { disturbedKarmada, disturbedName } from '../../harness/disturbed-install.ts';
import { saysReady } from '../../harness/is-ready.ts';
import { servePlainly, servingAfter } from '../../stubs/api/serve.ts';
import { StubApi } from '../../stubs/api/stub-api.ts';
import { StubClient } from '../../stubs/api/stub-client.ts';
import { Addresses } from '../../stubs/network/addresses.ts';
import { buildOperator } from '../../stubs/operator/build.ts';
import { OperatorProcess } from '../../stubs/operator/operator-process.ts';
import { StubCluster } from '../../stubs/stub-cluster.ts';

const NAMESPACE = 'silent';

/** Requests that the API server of the control plane has received and does not answer. */
class Silence {
  isSilent = false;
  readonly #pending = new Set<string>();
  #received = 0;

  readonly turn = async (
    request: { readonly method: string; readonly url: string },
    gone: AbortSignal,
  ): Promise<void> => {
    if (!this.isSilent || StubApi.isWatch(request)) return;
    const id = `${request.method} ${request.url} #${String((this.#received += 1))}`;
    this.#pending.add(id);
    await new Promise((resolve) => gone.addEventListener('abort', resolve, { once: true }));
    this.#pending.delete(id);
  };

  /** Requests about ClusterRoles whose client still waits. */
  aboutRoles(): readonly string[] {
    return [...this.#pending].filter((id) => id.includes('/clusterroles'));
  }
}

const silence = new Silence();
let [cluster, operator] = [
  undefined as StubCluster | undefined,
  undefined as OperatorProcess | undefined,
];
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  const [addresses, build] = await Promise.all([Addresses.claim(), buildOperator()]);
  ends.push(
    () => build.remove(),
    () => addresses.release(),
  );
  cluster = await StubCluster.start({
    addresses,
    serving: (place) => (place === 'inside' ? servingAfter(silence.turn) : servePlainly),
  });
  const flags = ['--leader-elect=false'];
  operator = await OperatorProcess.start({ build, access: cluster.access, flags });
  const { client } = cluster;
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  await client.create(disturbedKarmada(NAMESPACE) as KubernetesObject);
  await poll(
    'the control plane is Ready',
    async (seen) => {
      const found = await client.find(karmadas, { namespace: NAMESPACE, name: disturbedName });
      seen(JSON.stringify(found?.status));
      return found !== undefined && saysReady(found as Karmada) ? true : undefined;
    },
    { deadlineMs: 300_000 },
  );
}, 600_000);

afterAll(async () => {
  await operator?.stop('SIGKILL');
  await cluster?.stop();
  for (const end of ends) await end();
});

/** The client of a user in the control plane. */
function insideClient(): KubernetesClient {
  const api = cluster?.karmadaApi(NAMESPACE, disturbedName);
  if (api === undefined) throw new Error('the control plane has no API');
  return new StubClient(api, [], 'kubectl');
}

/** Deletes an object, and waits until the operator has created it again. */
async function deleteAndAwait(
  client: KubernetesClient,
  type: ResourceType,
  { metadata }: KubernetesObject,
): Promise<void> {
  const { name, namespace, uid } = metadata;
  const key = { name, ...(namespace !== undefined && { namespace }) };
  await client.delete(type, key);
  await poll(
    `${type.kind} ${name} is created again`,
    async (seen) => {
      const found = await client.find(type, key);
      seen(String(found?.metadata.uid));
      return found !== undefined && found.metadata.uid !== uid ? true : undefined;
    },
    { deadlineMs: 60_000, intervalMs: 20 },
  );
}

it('repairs objects in the host cluster while the control plane does not answer', async () => {
  const { client } = cluster ?? {};
  if (client === undefined) throw new Error('no cluster');
  const inside = insideClient();
  const ours = { labelSelector: `${MANAGED_BY}=${MANAGER}` };
  const { items: roles } = await inside.list(resources.ClusterRole, ours);
  const [role] = roles;
  if (role === undefined) throw new Error('the control plane has no ClusterRole of the operator');
  silence.isSilent = true;
  await inside.delete(resources.ClusterRole, { name: role.metadata.name });
  const call = await poll(
    'the operator repairs the ClusterRole',
    () => Promise.resolve(silence.aboutRoles()[0]),
    { deadlineMs: 30_000, intervalMs: 20 },
  );
  const damaged = [
    [resources.Deployment, /-(controller-manager|scheduler)$/],
    [resources.Secret, /-config$/],
  ] as const;
  for (const [type, name] of damaged) {
    const { items } = await client.list(type, { namespace: NAMESPACE, ...ours });
    const chosen = items.filter(({ metadata }) => name.test(metadata.name)).slice(0, 3);
    expect(chosen.length).toBeGreaterThan(1);
    for (const object of chosen) await deleteAndAwait(client, type, object);
  }
  expect(silence.aboutRoles()).toContain(call);
  silence.isSilent = false;
  await poll(
    'the ClusterRole is created again',
    async () => inside.find(resources.ClusterRole, { name: role.metadata.name }),
    { deadlineMs: 60_000 },
  );
}, 300_000);
