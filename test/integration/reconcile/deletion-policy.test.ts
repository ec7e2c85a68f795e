import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  CONFIRM_DELETION_ANNOTATION,
  FINALIZER,
  type Condition,
  type Karmada,
  type KarmadaStatus,
} from '../../../src/api/karmada.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import type { EventReport } from '../../../src/kubernetes/client/events.ts';
import { WorkQueue } from '../../../src/kubernetes/workqueue/queue.ts';
import type { Reconciler } from '../../../src/kubernetes/workqueue/reconciler.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { adminClient, eventually } from '../../harness/servers/apiserver-client.ts';
import { serveKarmadas, testReconciler } from '../../harness/servers/reconciler.ts';

let api: ApiServer;
let client: KubernetesClient;
let reconciler: Reconciler;
const events: EventReport[] = [];

beforeAll(async () => {
  api = await startApiServer();
  client = adminClient(api, { resources: [karmadas] });
  await serveKarmadas(client);
  await startReconciler();
});

/** Starts an operator whose caches have the present objects. */
async function startReconciler(): Promise<void> {
  reconciler = testReconciler(client, { events: { record: (event) => void events.push(event) } });
  reconciler.start(new WorkQueue({ clock: systemClock, random: Math.random }));
  await reconciler.synced;
}

afterAll(async () => {
  await reconciler.stop();
  await client.close();
  await api.stop();
});

const JOINED: KarmadaStatus = {
  secretRef: { name: 'demo-karmada-admin-config' },
  memberClusters: {
    summary: '1/2',
    total: 2,
    ready: 1,
    push: 1,
    pull: 1,
    clusters: [
      { name: 'paris', syncMode: 'Push', ready: 'False', reason: 'ClusterNotReachable' },
      { name: 'rome', syncMode: 'Pull', ready: 'True' },
    ],
  },
};

const keyOf = (namespace: string): { namespace: string; name: string } => ({
  namespace,
  name: 'demo',
});

const find = async (namespace: string): Promise<Karmada | undefined> =>
  (await client.find(karmadas, keyOf(namespace))) as Karmada | undefined;

/** Creates a Karmada whose control plane does not respond, and deletes it. */
async function createDeleted(namespace: string, spec: object, status = JOINED): Promise<void> {
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await client.create({
    apiVersion: `${karmadas.group}/${karmadas.version}`,
    kind: 'Karmada',
    metadata: { name: 'demo', namespace, finalizers: [FINALIZER] },
    spec,
  });
  const options = { subresource: 'status' };
  await client.patch(karmadas, keyOf(namespace), { status }, options);
  await client.delete(karmadas, keyOf(namespace));
}

/** Reconciles until the condition holds. */
const until = <T>(
  namespace: string,
  what: string,
  probe: (karmada: Karmada | undefined) => T | undefined,
): Promise<T> =>
  eventually(what, async () => {
    await reconciler.reconcile(`${namespace}/demo`, new AbortController().signal);
    return probe(await find(namespace));
  });

const readyOf = (karmada: Karmada | undefined): Condition | undefined =>
  karmada?.status?.conditions?.find(({ type }) => type === 'Ready');

const unconfirmed = (karmada: Karmada | undefined): Condition | undefined => {
  const ready = readyOf(karmada);
  return ready?.reason === 'DeletionUnconfirmed' ? ready : undefined;
};

const gone = (karmada: Karmada | undefined): true | undefined =>
  karmada === undefined ? true : undefined;

const eventsIn = (namespace: string): readonly string[] =>
  events
    .filter(({ regarding }) => regarding.metadata.namespace === namespace)
    .map(({ type, reason, note }) => `${type} ${reason} ${note}`);

it('a deletion waits for the confirmation, writes nothing meanwhile, and then continues', async () => {
  await createDeleted('asked', { deletionPolicy: 'ConfirmMembers' });
  const { message } = await until('asked', 'the status says what it waits for', unconfirmed);
  const { metadata } = (await find('asked')) ?? {};
  const { uid = '', resourceVersion } = metadata ?? {};
  expect(message).toBe(
    `deletion blocked by spec.deletionPolicy: member clusters still joined: paris, rome as last observed; the control plane does not respond. Remove the member clusters, or run kubectl -n asked annotate karmada demo --overwrite operator.karmada.io/confirm-deletion=${uid} to delete the control plane anyway`,
  );
  for (let count = 0; count < 3; count += 1)
    expect(await reconciler.reconcile('asked/demo', new AbortController().signal)).toEqual({
      requeueAfterMs: 30_000,
    });
  expect((await find('asked'))?.metadata.resourceVersion).toBe(resourceVersion);
  const annotate = (value: string): Promise<unknown> =>
    client.patch(karmadas, keyOf('asked'), {
      metadata: { annotations: { [CONFIRM_DELETION_ANNOTATION]: value } },
    });
  await annotate('true');
  await until('asked', 'the message names the wrong value', (karmada) =>
    unconfirmed(karmada)?.message.includes('has a different value now') ? true : undefined,
  );
  await annotate(uid);
  await until('asked', 'the Karmada is gone', gone);
  expect(eventsIn('asked').join('\n')).toContain(
    'Warning MembersLeft member clusters still joined',
  );
});

it('a deletion without a policy does not wait, and an Event names the member clusters', async () => {
  await createDeleted('plain', {});
  await until('plain', 'the Karmada is gone', gone);
  const left = eventsIn('plain').filter((text) => text.includes('MembersLeft'));
  expect(left).toEqual([
    expect.stringContaining('paris, rome (as last observed); the deletion changes nothing in them'),
  ]);
});

it('a deletion that has started asks for no confirmation after a restart of the operator', async () => {
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const ready = { type: 'Ready', status: 'False', reason: 'Deleting', message: 'm' } as const;
  const conditions = [{ ...ready, lastTransitionTime }];
  const policy = { deletionPolicy: 'ConfirmMembers' };
  await reconciler.stop();
  await createDeleted('started', policy, { ...JOINED, phase: 'Deleting', conditions });
  await startReconciler();
  await until('started', 'the Karmada is gone', gone);
  expect(eventsIn('started')).toEqual([]);
});

it('a terminating Namespace needs no confirmation', async () => {
  await createDeleted('ended', { deletionPolicy: 'ConfirmMembers' });
  await until('ended', 'the deletion waits', unconfirmed);
  await client.delete(resources.Namespace, { name: 'ended' });
  await until('ended', 'the Karmada is gone', gone);
});
