import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { EventRecorder } from '../../../src/kubernetes/client/events.ts';
import { Informer } from '../../../src/kubernetes/informers/informer.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import {
  BY_OWNER,
  enqueueOwners,
  ownerIndex,
} from '../../../src/kubernetes/informers/ownership.ts';
import { prunable, pruneObject } from '../../../src/kubernetes/apply/prune.ts';
import { WorkQueue } from '../../../src/kubernetes/workqueue/queue.ts';
import { keyOf, resources } from '../../../src/kubernetes/objects/resources.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import {
  adminClient,
  configMap,
  eventually,
  memoryLog,
} from '../../harness/servers/apiserver-client.ts';

let api: ApiServer;
let client: KubernetesClient;

beforeAll(async () => {
  api = await startApiServer();
  client = adminClient(api);
});

afterAll(async () => {
  await client.close();
  await api.stop();
});

const owns = (live: KubernetesObject): boolean =>
  live.metadata.labels?.['app.kubernetes.io/instance'] === 'demo';

async function made(name: string): Promise<KubernetesObject> {
  return client.create(configMap(name));
}

const exists = async (object: KubernetesObject): Promise<boolean> =>
  (await client.find(resources.ConfigMap, keyOf(object))) !== undefined;

describe('pruneObject', () => {
  it('deletes objects that are no longer desired and keeps the others', async () => {
    const [wanted, old] = [await made('wanted'), await made('old')];
    const { items } = await client.list(resources.ConfigMap, {
      labelSelector: 'app.kubernetes.io/instance=demo',
    });
    for (const object of prunable({ live: items, complete: true }, [wanted], { owns })) {
      expect(await pruneObject(client, { object, owns })).toBe('deleted');
    }
    expect([await exists(wanted), await exists(old)]).toEqual([true, false]);
    expect(await pruneObject(client, { object: old, owns })).toBe('gone');
  });

  it('deletes a changed object, and keeps an object that lost its labels or was recreated', async () => {
    const touched = await made('touched');
    await client.patch(resources.ConfigMap, keyOf(touched), { data: { a: 'b' } });
    expect(await pruneObject(client, { object: touched, owns })).toBe('deleted');
    const given = await made('given');
    await client.patch(resources.ConfigMap, keyOf(given), { metadata: { labels: null } });
    expect(await pruneObject(client, { object: given, owns })).toBe('changed');
    const anew = await made('anew');
    await client.delete(resources.ConfigMap, keyOf(anew));
    await made('anew');
    expect(await pruneObject(client, { object: anew, owns })).toBe('changed');
    expect([await exists(given), await exists(anew)]).toEqual([true, true]);
  });

  it('rejects an object that was never read', async () => {
    const object = configMap('never-read');
    await expect(pruneObject(client, { object, owns })).rejects.toThrow('has no uid');
  });
});

describe('enqueueOwners', () => {
  it('enqueues the owner when an owned object changes', async () => {
    const labels = { name: 'app.kubernetes.io/instance' };
    const queue = new WorkQueue({ clock: systemClock, random: Math.random });
    const informer = new Informer({
      client,
      type: resources.ConfigMap,
      labelSelector: 'app.kubernetes.io/managed-by=karmada-operator',
      indexes: ownerIndex(labels),
      clock: systemClock,
      random: Math.random,
      log: memoryLog(),
    });
    enqueueOwners(informer, queue, labels);
    informer.start();
    await informer.synced;
    queue.done((await queue.take()) ?? '');
    const object = await made('owned');
    expect(await queue.take()).toBe('default/demo');
    expect(
      informer.cache.byIndex(BY_OWNER, 'default/demo').map((each) => each.metadata.name),
    ).toContain('owned');
    queue.done('default/demo');
    await client.patch(resources.ConfigMap, keyOf(object), { metadata: { labels: null } });
    expect(await queue.take()).toBe('default/demo');
    queue.done('default/demo');
    await queue.shutDown();
    await informer.stop();
  });
});

describe('EventRecorder', () => {
  it('writes Events with a series that the API server accepts', async () => {
    const log = memoryLog();
    let late = 0;
    const recorder = new EventRecorder({
      client,
      reportingController: 'operator.karmada.io/operator',
      reportingInstance: 'pod-1',
      clock: { ...systemClock, monotonic: () => systemClock.monotonic() + late },
      random: Math.random,
      log,
    });
    const regarding = await made('reported');
    const report = {
      regarding,
      type: 'Warning',
      reason: 'Stuck',
      action: 'Install',
      note: 'no quota',
    } as const;
    recorder.record(report);
    await recorder.flush();
    late = 400_000;
    recorder.record(report);
    await recorder.flush();
    expect(log.lines).toEqual([]);
    const found = await eventually('the event', async () => {
      const { items } = await client.list(resources.Event, { namespace: 'default' });
      return items.find((event) => event.reason === 'Stuck');
    });
    expect(found).toMatchObject({ note: 'no quota', series: { count: 2 }, type: 'Warning' });
  });
});
