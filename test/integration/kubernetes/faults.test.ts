import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Applier } from '../../../src/kubernetes/apply/apply.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import type { WatchEvent } from '../../../src/kubernetes/client/watch.ts';
import type { Pair } from '../../../tools/embedded-cluster/certificate-pair.ts';
import { faultsOf, type Fault } from '../../harness/fault-proxy/faults.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { behindFaults, proxyPair } from '../../harness/servers/behind-faults.ts';
import { adminClient, configMap, eventually } from '../../harness/servers/apiserver-client.ts';

const path = '/api/v1/namespaces/NAMESPACE/configmaps';

/** Expected result of a call with one fault: an error; or, if not listed, the response of a retry. */
const network = { name: 'NetworkError' };
const ofWrites: Readonly<Partial<Record<Fault, object>>> = {
  conflict: { code: 409, reason: 'Conflict' },
  error: { code: 500, reason: 'InternalError' },
  'error-done': { code: 500, reason: 'InternalError' },
  timeout: { ...network, code: 'TIMEOUT' },
  'timeout-done': { ...network, code: 'TIMEOUT' },
  cut: network,
  'cut-done': network,
  'cut-late': network,
  half: network,
  'half-done': network,
  short: network,
  'short-done': network,
};
const ofReads: Readonly<Partial<Record<Fault, object>>> = {
  conflict: { code: 409 },
  error: { code: 500 },
  timeout: { code: 'TIMEOUT' },
};

describe('Kubernetes client behind the fault proxy', () => {
  let api: ApiServer;
  let direct: KubernetesClient;
  let tls: Pair;

  beforeAll(async () => {
    api = await startApiServer();
    direct = adminClient(api);
    tls = await proxyPair(api);
  });

  afterAll(async () => {
    await direct.close();
    await api.stop();
  });

  /** Runs `work` with a client whose first matching call gets the fault. */
  const behind = <T>(
    what: string,
    fault: Fault,
    work: (client: KubernetesClient) => Promise<T>,
  ): Promise<T> => {
    const rules = [{ what, occurrence: 1, fault }];
    const timeoutMs = fault.startsWith('timeout') ? 1_000 : 30_000;
    return behindFaults({ api, tls, timeoutMs }, { namespace: 'default', rules }, work);
  };

  const outcomeOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'done',
      (error: unknown) => error,
    );

  const uidOf = async (client: KubernetesClient, name: string): Promise<string | undefined> =>
    (await client.get(resources.ConfigMap, { namespace: 'default', name })).metadata.uid;

  const willBeThere = (name: string): Promise<true> =>
    eventually(`${name} exists`, () => isThere(name));

  const isThere = async (name: string): Promise<boolean> =>
    (await direct.find(resources.ConfigMap, { namespace: 'default', name })) !== undefined;

  it('passes calls without fault unchanged, and cancels them when their signal is aborted', async () => {
    const ended = await behind('nothing', 'cut', async (client) => {
      const names = ['passed-0', 'passed-1', 'passed-2'];
      for (const name of names) await client.create(configMap(name));
      const uids = await Promise.all(names.map((name) => uidOf(client, name)));
      for (const [index, name] of names.entries()) {
        const key = { namespace: 'default', name };
        await client.delete(resources.ConfigMap, key, { uid: uids[index] ?? '' });
      }
      const stops = names.map(() => new AbortController());
      const lists = stops.map(({ signal }) => outcomeOf(client.list(resources.Node, { signal })));
      for (const stop of stops) stop.abort(new Error('enough'));
      await Promise.all(lists);
      return outcomeOf(client.list(resources.Node));
    });
    expect(ended).toBe('done');
    expect(await isThere('passed-0')).toBe(false);
  });

  it.each(faultsOf.write)('reports the real result of a POST with the fault %s', async (fault) => {
    const name = `posted-${fault}`;
    const outcome = await behind(`host POST ${path}/${name}`, fault, (client) =>
      outcomeOf(client.create(configMap(name))),
    );
    const expected = ofWrites[fault];
    if (expected === undefined) expect(outcome).toBe('done');
    else expect(outcome).toMatchObject(expected);
    if (fault.endsWith('-late')) expect(await willBeThere(name)).toBe(true);
    else expect(await isThere(name)).toBe(expected === undefined || fault.endsWith('-done'));
  });

  it.each(faultsOf.write)(
    'retries an apply with the fault %s if a retry can help',
    async (fault) => {
      const name = `applied-${fault}`;
      const outcome = await behind(`host PATCH ${path}/${name}`, fault, (client) =>
        outcomeOf(client.apply(configMap(name), { fieldManager: 'm' })),
      );
      const expected = ['conflict', 'error', 'error-done', 'timeout', 'timeout-done'].includes(
        fault,
      )
        ? ofWrites[fault]
        : undefined;
      if (expected === undefined) expect(outcome).toBe('done');
      else expect(outcome).toMatchObject(expected);
      expect(await isThere(name)).toBe(expected === undefined || fault.endsWith('-done'));
    },
  );

  it('retries createOnly when the API server returns a conflict although the object does not exist', async () => {
    const secret = { ...configMap('only-made'), kind: 'Secret' };
    const what = 'host POST /api/v1/namespaces/NAMESPACE/secrets/only-made';
    const outcome = await behind(what, 'conflict', async (client) => {
      const applier = new Applier({ client, fieldManager: 'm' });
      const first = await outcomeOf(applier.createOnly(secret));
      return [first, await applier.createOnly(secret), await applier.createOnly(secret)];
    });
    expect(outcome).toMatchObject([{ code: 409 }, { outcome: 'created' }, { outcome: 'conflict' }]);
  });

  it.each(faultsOf.read)('retries a read with the fault %s if a retry can help', async (fault) => {
    await direct.apply(configMap('read'), { fieldManager: 'm' });
    const key = { namespace: 'default', name: 'read' };
    const outcome = await behind(`host GET ${path}/read`, fault, (client) =>
      outcomeOf(client.get(resources.ConfigMap, key)),
    );
    const expected = ofReads[fault];
    if (expected === undefined) expect(outcome).toBe('done');
    else expect(outcome).toMatchObject(expected);
  });

  it.each(faultsOf.watch)('emits no partial event for a watch with the fault %s', async (fault) => {
    await direct.apply(configMap('watched'), { fieldManager: 'm' });
    const events: WatchEvent[] = [];
    const outcome = await behind(`host WATCH ${path}`, fault, (client) => {
      const options = { namespace: 'default', fieldSelector: 'metadata.name=watched' };
      const follow = async (): Promise<void> => {
        const watch = client.watch(resources.ConfigMap, { ...options, resourceVersion: '0' });
        for await (const event of watch) {
          events.push(event);
          return;
        }
      };
      return outcomeOf(follow());
    });
    const whole = events.map(({ type, object }) => [type, object.metadata.name]);
    expect(whole).toEqual(events.length === 0 ? [] : [['ADDED', 'watched']]);
    const errors = { ...ofReads, cut: network, 'half-done': network };
    const expected = (errors as Readonly<Partial<Record<Fault, object>>>)[fault];
    if (expected === undefined) expect(outcome).toBe('done');
    else expect(outcome).toMatchObject(expected);
    if (fault === 'delay' || fault === 'busy') expect(events).toHaveLength(1);
  });
});
