import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from '../../src/kubernetes/client.ts';
import { systemClock } from '../../src/kubernetes/clock.ts';
import { explicitEndpoint } from '../../src/kubernetes/connection.ts';
import type { KubernetesClient } from '../../src/kubernetes/contract.ts';
import { resources } from '../../src/kubernetes/resources.ts';
import type { WorkQueue } from '../../src/kubernetes/queue.ts';
import { createMetrics, type Metrics } from '../../src/metrics.ts';
import { Operator } from '../../src/operator.ts';
import { parseOptions } from '../../src/options.ts';
import type { Reconciler } from '../../src/reconciler.ts';
import { poll } from '../cluster/poll.ts';
import { startApiServer, type ApiServer } from './apiserver.ts';

const log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** Work that can be held up: each key ends only when `release` is called. */
function heldWork(): Reconciler & { queue?: WorkQueue; begun: string[]; release: () => void } {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const work: ReturnType<typeof heldWork> = {
    synced: Promise.resolve(),
    isSynced: () => true,
    laneOf: () => '',
    rest: () => undefined,
    begun: [],
    release,
    start: (queue) => void (work.queue = queue),
    async reconcile(key) {
      work.begun.push(key);
      await released;
      return {};
    },
    stop: () => Promise.resolve(),
  };
  return work;
}

describe('the operator process', () => {
  let server: ApiServer;
  let reader: KubernetesClient;

  const client = (): KubernetesClient =>
    createClient(
      explicitEndpoint({
        server: server.url,
        caData: server.caData,
        certData: server.admin.cert,
        keyData: server.admin.key,
      }),
    );

  const holder = async (): Promise<string> => {
    const lease = await reader.find(resources.Lease, {
      namespace: 'default',
      name: 'karmada-operator',
    });
    return (lease?.['spec'] as { holderIdentity?: string } | undefined)?.holderIdentity ?? '';
  };

  function newOperator(identity: string, reconciler: Reconciler, metrics: Metrics): Operator {
    const options = parseOptions([
      '--leader-elect-resource-namespace=default',
      '--leader-elect-retry-period=200ms',
      '--metrics-bind-address=0',
      '--health-probe-bind-address=0',
    ]);
    const common = { clock: systemClock, random: Math.random, log, identity, options };
    return new Operator({
      ...common,
      client: client(),
      reconciler,
      metrics,
      onQuiet: () => undefined,
    });
  }

  beforeAll(async () => {
    server = await startApiServer();
    reader = client();
  }, 600_000);

  afterAll(async () => {
    await reader.close();
    await server.stop();
  }, 60_000);

  it('ends work under way before it gives the lease to its successor', async () => {
    const work = heldWork();
    const metrics = createMetrics('1', { aheadMs: () => 0 });
    const first = newOperator('first', work, metrics);
    const firstRun = first.run();
    await poll('the first leads', async (seen) => {
      seen(await holder());
      return (await holder()) === 'first' ? true : undefined;
    });
    work.queue?.add('team/demo');
    await poll('work has begun', () => Promise.resolve(work.begun.length > 0 ? true : undefined));
    const standby = heldWork();
    const second = newOperator('second', standby, createMetrics('1', { aheadMs: () => 0 }));
    const secondRun = second.run();
    first.stop();
    // As long as a write may be under way nobody else leads.
    expect(await holder()).toBe('first');
    work.release();
    expect(await firstRun).toBe('stopped');
    await poll('the second leads', async (seen) => {
      seen(await holder());
      return (await holder()) === 'second' ? true : undefined;
    });
    expect((await metrics.expose()).body).toContain(
      'karmada_operator_reconcile_total{outcome="success"} 1',
    );
    second.stop();
    expect(await secondRun).toBe('stopped');
    expect(await holder()).toBe('');
  }, 120_000);

  it('ends at once while it stands by', async () => {
    const leader = newOperator('leader', heldWork(), createMetrics('1', { aheadMs: () => 0 }));
    const leading = leader.run();
    await poll('it leads', async () => ((await holder()) === 'leader' ? true : undefined));
    const standby = newOperator('standby', heldWork(), createMetrics('1', { aheadMs: () => 0 }));
    const standing = standby.run();
    standby.stop();
    expect(await standing).toBe('stopped');
    expect(await holder()).toBe('leader');
    leader.stop();
    expect(await leading).toBe('stopped');
  }, 120_000);
});
