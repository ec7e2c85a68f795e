import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock, type Log } from '../../src/kubernetes/time/clock.ts';
import type {
  ClientOptions,
  KubernetesClient,
} from '../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { resources } from '../../src/kubernetes/objects/resources.ts';
import type { WorkQueue } from '../../src/kubernetes/workqueue/queue.ts';
import { exposed } from '../../src/metrics/exposed.fixture.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import type { Metrics } from '../../src/metrics/metrics-interface.ts';
import { Origins } from '../../src/kubernetes/fairness/origin.ts';
import { LeaderTerm } from '../../src/kubernetes/time/term.ts';
import { Operator } from '../../src/operator/operator.ts';
import { parseOptions } from '../../src/options/options.ts';
import type { Reconciler } from '../../src/kubernetes/workqueue/reconciler.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { startApiServer, type ApiServer } from '../harness/servers/apiserver.ts';
import { adminClient } from '../harness/servers/apiserver-client.ts';

const log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

interface Given {
  readonly flags?: readonly string[];
  /** Client to use instead of a new one. */
  readonly busy?: KubernetesClient;
  readonly term?: LeaderTerm;
  readonly log?: Log;
}

/** Reconciler that blocks each key until `release` is called. */
function heldWork(): Reconciler & { queue?: WorkQueue; begun: string[]; release: () => void } {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const work: ReturnType<typeof heldWork> = {
    synced: Promise.resolve(),
    unready: () => undefined,
    flowOf: () => ({ group: '', tenant: '' }),
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

describe('operator process', () => {
  let server: ApiServer;
  let reader: KubernetesClient;

  const client = (options: ClientOptions = {}): KubernetesClient => adminClient(server, options);

  const holderOf = async (namespace: string, name: string): Promise<string> => {
    const lease = await reader.find(resources.Lease, { namespace, name });
    return (lease?.['spec'] as { holderIdentity?: string } | undefined)?.holderIdentity ?? '';
  };
  const holder = (): Promise<string> => holderOf('default', 'karmada-operator');
  const oneOperator = (): Promise<string> =>
    holderOf('kube-system', 'karmadas.operator.karmada.io');

  function newOperator(
    identity: string,
    reconciler: Reconciler,
    metrics: Metrics,
    { flags = [], busy, term = new LeaderTerm(systemClock), log: ownLog = log }: Given = {},
  ): Operator {
    const options = parseOptions([
      '--leader-elect-resource-namespace=default',
      '--leader-elect-retry-period=200ms',
      '--metrics-bind-address=0',
      '--health-probe-bind-address=0',
      ...flags,
    ]);
    const common = { clock: systemClock, random: Math.random, log: ownLog, identity, options };
    return new Operator({
      checks: [],
      ...common,
      client: busy ?? client(),
      leaseClient: client(),
      origins: new Origins(),
      term,
      flushEvents: () => Promise.resolve(),
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
  });

  it('finishes active reconciles before it releases the lease', async () => {
    const work = heldWork();
    const metrics = createMetrics('1', { aheadMs: () => 0 });
    const first = newOperator('first', work, metrics);
    const firstRun = first.run();
    await poll('the first leads', async (seen) => {
      seen(await holder());
      return (await holder()) === 'first' ? true : undefined;
    });
    work.queue?.add('team/demo');
    await poll('the reconcile has started', () =>
      Promise.resolve(work.begun.length > 0 ? true : undefined),
    );
    const standby = heldWork();
    const second = newOperator('second', standby, createMetrics('1', { aheadMs: () => 0 }));
    const secondRun = second.run();
    first.stop();
    // No other process may lead while a write may be active.
    expect(await holder()).toBe('first');
    work.release();
    expect(await firstRun).toBe('stopped');
    await poll('the second leads', async (seen) => {
      seen(await holder());
      return (await holder()) === 'second' ? true : undefined;
    });
    expect(await exposed(metrics)).toContain(
      'karmada_operator_reconcile_total{outcome="success"} 1',
    );
    second.stop();
    expect(await secondRun).toBe('stopped');
    expect(await holder()).toBe('');
  });

  it('stops immediately when it is a standby', async () => {
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
  });

  it('waits and logs a warning while an operator of another installation leads', async () => {
    const lines: string[] = [];
    const warn = (fields: object, message: string): void =>
      void lines.push(`${message} ${JSON.stringify(fields)}`);
    const metrics = createMetrics('1', { aheadMs: () => 0 });
    const gauge = async (name: string): Promise<string> =>
      (await exposed(metrics)).match(new RegExp(`^${name} (.*)$`, 'm'))?.[1] ?? '';
    const acting = newOperator('acting', heldWork(), createMetrics('1', { aheadMs: () => 0 }));
    const actingRun = acting.run();
    await poll('the first installation leads', async (seen) => {
      seen(await oneOperator());
      return (await oneOperator()) === 'default/karmada-operator' ? true : undefined;
    });
    const flags = ['--leader-elect-resource-name=another'];
    const other = newOperator('other', heldWork(), metrics, { flags, log: { ...log, warn } });
    const otherRun = other.run();
    await poll('the second installation waits', async (seen) => {
      seen(lines.join('\n'));
      return (await gauge('karmada_operator_waits_for_other_operator')) === '1' ? true : undefined;
    });
    expect(await gauge('karmada_operator_leader')).toBe('0');
    expect(lines).toEqual([
      'another operator manages the Karmada objects, waiting {"holder":"default/karmada-operator","lease":"kube-system/karmadas.operator.karmada.io","remedy":"uninstall one of the two operators"}',
    ]);
    acting.stop();
    expect(await actingRun).toBe('stopped');
    await poll('the second installation leads', async (seen) => {
      seen(await oneOperator());
      return (await gauge('karmada_operator_leader')) === '1' ? true : undefined;
    });
    expect(await oneOperator()).toBe('default/another');
    expect(await gauge('karmada_operator_waits_for_other_operator')).toBe('0');
    other.stop();
    expect(await otherRun).toBe('stopped');
  });

  it('keeps the lease while many calls wait for the rate limit', async () => {
    const busy = client({ rateLimit: { qps: 1, burst: 1 } });
    const flags = ['--leader-elect-lease-duration=3s', '--leader-elect-renew-deadline=2s'];
    const metrics = createMetrics('1', { aheadMs: () => 0 });
    const operator = newOperator('busy', heldWork(), metrics, { flags, busy });
    const leading = operator.run();
    await poll('it leads', async () => ((await holder()) === 'busy' ? true : undefined));
    const waiting = new AbortController();
    const calls = Array.from({ length: 100 }, () =>
      busy.list(resources.Namespace, { signal: waiting.signal }).catch(() => undefined),
    );
    const began = performance.now();
    await poll('it has led for longer than a lease lasts', async (seen) => {
      seen(await holder());
      if ((await holder()) !== 'busy') throw new Error('the lease is lost');
      return performance.now() - began > 4_000 ? true : undefined;
    });
    waiting.abort();
    await Promise.all(calls);
    operator.stop();
    expect(await leading).toBe('stopped');
  });

  const configMap = (name: string): KubernetesObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default' },
  });

  const made = async (): Promise<readonly string[]> => {
    const { items } = await reader.list(resources.ConfigMap, { namespace: 'default' });
    return items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('write-'));
  };

  it('sends no further write of an active reconcile when another process holds the lease', async () => {
    const term = new LeaderTerm(systemClock);
    const writer = client({ term });
    const outcomes: string[] = [];
    const work = heldWork();
    const operator = newOperator(
      'first',
      {
        ...work,
        start: (queue) => queue.add('team/demo'),
        async reconcile(key, signal) {
          await writer.create(configMap('write-1'));
          await work.reconcile(key, signal);
          await writer.create(configMap('write-2')).catch((error: unknown) => {
            outcomes.push(String(error));
            throw error;
          });
          return {};
        },
      },
      createMetrics('1', { aheadMs: () => 0 }),
      { busy: writer, term },
    );
    const running = operator.run();
    await poll('the first write is stored', async () =>
      (await made()).length > 0 ? true : undefined,
    );
    await poll('another process holds the lease', async (seen) => {
      const patch = { spec: { holderIdentity: 'thief' } };
      const key = { namespace: 'default', name: 'karmada-operator' };
      await reader.patch(resources.Lease, key, patch);
      seen(await holder());
      return term.signal.aborted ? true : undefined;
    });
    work.release();
    expect(await running).toBe('lease lost');
    expect(outcomes).toEqual([expect.stringContaining('the leader lease is lost')]);
    expect(await made()).toEqual(['write-1']);
    await reader.delete(resources.ConfigMap, { namespace: 'default', name: 'write-1' });
    await reader.delete(resources.Lease, { namespace: 'default', name: 'karmada-operator' });
  });

  it('writes all Events before it releases the lease, and nothing afterwards', async () => {
    const term = new LeaderTerm(systemClock);
    const writer = client({ term });
    let flushed = '';
    const options = parseOptions([
      '--leader-elect-resource-namespace=default',
      '--metrics-bind-address=0',
      '--health-probe-bind-address=0',
    ]);
    const operator = new Operator({
      checks: [],
      clock: systemClock,
      random: Math.random,
      log,
      identity: 'orderly',
      options,
      term,
      origins: new Origins(),
      client: client(),
      leaseClient: client(),
      flushEvents: async () => void (flushed = await holder()),
      reconciler: heldWork(),
      metrics: createMetrics('1', { aheadMs: () => 0 }),
      onQuiet: () => undefined,
    });
    const running = operator.run();
    await poll('it leads', async () => ((await holder()) === 'orderly' ? true : undefined));
    operator.stop();
    expect(await running).toBe('stopped');
    expect(flushed).toBe('orderly');
    await expect(writer.create(configMap('write-3'))).rejects.toThrow('the operator stops');
    expect(await made()).toEqual([]);
    await writer.close();
  });
});
