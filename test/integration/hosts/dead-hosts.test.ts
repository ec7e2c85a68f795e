/**
 * One operator with 15 Karmadas in the management cluster and 5 in unreachable host clusters with five failure modes.
 * The control planes are stubs: objects in a real API server without running Pods. The tests depend on the order of
 * events only.
 *
 * @size medium
 */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Condition } from '../../../src/api/karmada.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { followCalls, type CallsUnderWay } from '../../harness/hosts/calls-under-way.ts';
import type { Pass } from '../../harness/hosts/operator.ts';
import type { HostStandIn, Mode } from '../../harness/hosts/stand-in.ts';
import { startEnvironment, type Environment } from '../../harness/hosts/environment.ts';

jest.setTimeout(600_000);

const NEAR = 15;
const LONG = { deadlineMs: 180_000, intervalMs: 50 };

/** Failure mode of each host cluster, and the expected cause in the condition. */
const DEATHS: readonly (readonly [string, Mode, RegExp])[] = [
  ['far-01', 'mute', /no response from the API server within \d+ ms/],
  ['far-02', 'hole', /no response from the API server within \d+ ms/],
  ['far-03', 'refusing', /ECONNREFUSED/],
  ['far-04', 'cutting', /ECONNRESET/],
  ['far-05', 'mute', /no response from the API server within \d+ ms/],
];
/** Host cluster that responds at first and sends nothing later. */
const LATER = 'far-05';
/** Karmada that is deleted before its host cluster has ever responded. */
const NEVER = 'far-01';
/** Host clusters that become reachable again. */
const BACK = ['far-02', 'far-03', 'far-04'];
/** Host clusters with an active call nearly all the time. */
const SILENT = [NEVER, 'far-02', LATER];

describe('operator with unreachable host clusters', () => {
  let environment: Environment;
  let calls: CallsUnderWay;

  beforeAll(async () => {
    calls = followCalls();
    environment = await startEnvironment({
      near: NEAR,
      far: DEATHS.length,
      // Fewer workers than unreachable host clusters: if these blocked workers, no Karmada would be reconciled.
      flags: ['--concurrent-karmada-syncs=2'],
      begin: (name) => DEATHS.find(([far]) => far === name && far !== LATER)?.[1],
    });
  }, 600_000);

  afterAll(async () => {
    await environment.stop();
    calls.close();
  });

  const hostOf = (name: string): HostStandIn => {
    const host = environment.hosts.get(name);
    if (host === undefined) throw new Error(`host cluster ${name} not found`);
    return host;
  };

  const until = (name: string, type: string, fits: (found: Condition) => boolean) =>
    poll(
      `${type} of ${name}`,
      async (seen) => {
        const found = await environment.condition(name, type);
        seen(JSON.stringify(found ?? environment.log.lines.slice(-5)));
        return found && fits(found) ? found : undefined;
      },
      LONG,
    );

  const service = (name: string) => ({ namespace: name, name: `${name}-karmada-webhook` });

  const uidOf = async (client: KubernetesClient, name: string): Promise<string> =>
    (await client.find(resources.Service, service(name)))?.metadata.uid ?? '';

  /** Waits until the Service that the test deletes exists. @returns its UID */
  const made = (client: KubernetesClient, name: string, other = ''): Promise<string> =>
    poll(
      `the Service of ${name} exists`,
      async (seen) => {
        const uid = await uidOf(client, name);
        seen(JSON.stringify([uid, await environment.condition(name, 'Ready')]));
        return uid === '' || uid === other ? undefined : uid;
      },
      LONG,
    );

  /** Deletes a Service of each Karmada in the management cluster, and waits until all are recreated. */
  const repairAll = async (names = environment.near): Promise<void> => {
    const before = await Promise.all(names.map((name) => made(environment.management, name)));
    await Promise.all(
      names.map((name) => environment.management.delete(resources.Service, service(name))),
    );
    await Promise.all(
      names.map((name, index) => made(environment.management, name, before[index])),
    );
  };

  /**
   * Repeats the repair until the same calls are active before the first deletion and after the last recreation. A
   * call that ends in between, for example at its timeout, proves nothing.
   */
  const repairsBeside = <T>(what: string, underWay: () => readonly T[], count: number) =>
    poll(
      `all are repaired while ${what}`,
      async (seen) => {
        const before = new Set(underWay());
        if (before.size < count) return void seen(`${String(before.size)} active before`);
        await repairAll();
        const stayed = underWay().filter((one) => before.has(one)).length;
        seen(`${String(stayed)} of ${String(before.size)} were active all the time`);
        return stayed >= count ? true : undefined;
      },
      LONG,
    );

  it('reconciles all other Karmadas and reports the cause for each unreachable host cluster', async () => {
    await Promise.all(environment.near.map((name) => made(environment.management, name)));
    await until(LATER, 'HostReachable', ({ status }) => status === 'True');
    await hostOf(LATER).turn('mute');
    for (const [name, , cause] of DEATHS) {
      const { url } = hostOf(name);
      const found = await until(name, 'HostReachable', ({ status }) => status === 'False');
      expect(found).toMatchObject({ reason: 'HostUnreachable' });
      expect(found.message).toContain(url);
      expect(found.message).toMatch(cause);
    }
    for (const name of environment.near)
      expect(await environment.condition(name, 'HostReachable')).toBeUndefined();
  });

  it('repairs all other Karmadas while calls to unreachable host clusters have no response', async () => {
    for (const name of SILENT) {
      const { url } = hostOf(name);
      await repairsBeside(`a call to ${name} has no response`, () => calls.to(url), 1);
    }
  });

  const remove = (name: string): Promise<void> =>
    environment.management.delete(karmadas, { namespace: name, name });

  const gone = (name: string): Promise<true> =>
    poll(
      `${name} is gone`,
      async (seen) => {
        const found = await environment.management.find(karmadas, { namespace: name, name });
        seen(JSON.stringify(found));
        return found === undefined ? true : undefined;
      },
      LONG,
    );

  it('blocks the deletion of a Karmada with an unreachable host cluster, reports why, and deletes others', async () => {
    for (const name of [LATER, NEVER, 'near-15']) await remove(name);
    await gone('near-15');
    // Nothing was created for this Karmada.
    await gone(NEVER);
    const told = await until(LATER, 'Ready', ({ reason }) => reason === 'Deleting');
    expect(told.message).toContain('deletion blocked');
    expect(told.message).toContain(hostOf(LATER).url);
    expect(told.message).toMatch(
      /annotate karmada .* operator\.karmada\.io\/abandon-host=[0-9a-f-]{36}/,
    );
  });

  it('continues when the host clusters are reachable again', async () => {
    await Promise.all([...environment.hosts.values()].map((host) => host.turn('well')));
    await gone(LATER);
    expect((await environment.away.list(resources.Service, { namespace: LATER })).items).toEqual(
      [],
    );
    for (const name of BACK) {
      await until(name, 'HostReachable', ({ status }) => status === 'True');
      await made(environment.away, name);
    }
  });

  it('blocks only the affected reconciles when host clusters fail during a reconcile', async () => {
    const names = BACK;
    const before = await Promise.all(names.map((name) => made(environment.away, name)));
    for (const name of names)
      hostOf(name).hold(({ sort, what }) => sort === 'write' && what.includes('services'));
    for (const name of names) await environment.away.delete(resources.Service, service(name));
    await Promise.all(
      names.map((name) =>
        poll(
          `a write to the host cluster ${name} is active`,
          (seen) => {
            const held = hostOf(name).held();
            seen(held.join());
            return Promise.resolve(held.length > 0 ? true : undefined);
          },
          LONG,
        ),
      ),
    );
    const near = environment.near.slice(0, -1);
    const passes = (): readonly Pass[] =>
      environment
        .operator()
        .passes.filter(
          ({ key, ended }) =>
            ended === undefined && names.some((name) => key === `${name}/${name}`),
        );
    await poll(
      'all others are repaired while these Karmadas are being reconciled',
      async (seen) => {
        const held = new Set(passes());
        if (held.size < names.length) return void seen(`${String(held.size)} reconciles before`);
        await repairAll(near);
        const stayed = passes().filter((pass) => held.has(pass)).length;
        seen(`${String(stayed)} of ${String(held.size)} reconciles were active all the time`);
        return stayed === names.length ? true : undefined;
      },
      LONG,
    );
    for (const name of names) hostOf(name).hold(() => false);
    await Promise.all(names.map((name, index) => made(environment.away, name, before[index])));
  });
});
