import { describe, expect, it } from '@jest/globals';
import { manualClock, memoryLog, settle } from '../kubernetes/time/clock.fixture.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { LeaseServer } from '../kubernetes/objects/lease.fixture.ts';
import { Origins } from '../kubernetes/fairness/origin.ts';
import { LeaderTerm } from '../kubernetes/time/term.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { Operator } from './operator.ts';
import { parseOptions } from '../options/options.ts';

function setUp() {
  const log = memoryLog();
  const clock = manualClock();
  const lag = { ms: 0 };
  const term = new LeaderTerm({ monotonic: () => clock.monotonic() + lag.ms });
  const servers = [new LeaseServer(), new LeaseServer()] as const;
  const of = (name: string): LeaseServer['client'] =>
    servers[name === 'karmada-operator' ? 0 : 1].client;
  const client = {
    find: (type, key, options) => of(key.name).find(type, key, options),
    create: (object, options) => of(object.metadata.name).create(object, options),
    replace: (object, options) => of(object.metadata.name).replace(object, options),
    close: () => Promise.resolve(),
  } as Partial<KubernetesClient> as KubernetesClient;
  let led = 0;
  const operator = new Operator({
    client,
    leaseClient: client,
    term,
    clock,
    log,
    random: () => 0,
    origins: new Origins(),
    flushEvents: () => Promise.resolve(),
    options: parseOptions([
      '--leader-elect-resource-namespace=default',
      '--metrics-bind-address=0',
      '--health-probe-bind-address=0',
    ]),
    reconciler: {
      synced: Promise.resolve(),
      unready: () => undefined,
      flowOf: () => ({ group: '', tenant: '' }),
      rest: () => undefined,
      start: () => undefined,
      reconcile: () => Promise.resolve({}),
      stop: () => Promise.resolve(),
    },
    metrics: createMetrics('test', { aheadMs: () => 0 }),
    identity: 'one',
    onQuiet: () => undefined,
    checks: [
      () => {
        led += 1;
        return Promise.resolve();
      },
    ],
  });
  const holders = (): readonly unknown[] => servers.map((server) => server.holder());
  return { clock, lag, term, holders, operator, log, led: () => led };
}

describe('Operator', () => {
  it('ends, and releases no Lease, when a call finds that the renew deadline has passed before its timer fires', async () => {
    const { clock, lag, term, holders, operator, log, led } = setUp();
    const run = operator.run();
    await settle();
    await clock.advance(6_000);
    expect(led()).toBe(1);
    expect(() => term.check()).not.toThrow();
    lag.ms = 30_000;
    expect(() => term.check()).toThrow('not renewed within the renew deadline');
    lag.ms = 0;
    await clock.advance(5_000);
    expect(await run).toBe('lease lost');
    expect(log.lines.filter((line) => line.includes('leader lease lost'))).toEqual([
      'error leader lease lost {"why":"not renewed within the renew deadline"}',
    ]);
    expect(holders()).toEqual(['one', 'default/karmada-operator']);
    expect(clock.pending()).toBe(0);
  });

  it('releases its Leases when it is stopped', async () => {
    const { clock, holders, operator } = setUp();
    const run = operator.run();
    await settle();
    operator.stop();
    await clock.advance(5_000);
    expect([await run, holders()]).toEqual(['stopped', ['', '']]);
  });
});
