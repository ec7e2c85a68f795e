import { describe, expect, it } from '@jest/globals';
import { manualClock } from '../../kubernetes/time/clock.fixture.ts';
import type { Freshness } from '../../kubernetes/informers/freshness.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { exposed } from '../../metrics/exposed.fixture.ts';
import { createMetrics } from '../../metrics/metrics.ts';
import type { Host, ManagementCluster } from '../../host-clusters/host.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import {
  CHECK_INTERVAL_MS,
  StaleWatchMonitor,
} from '../../controllers/karmada/stale-watch-monitor.ts';
import { clusterProblem, staleTexts, unobserved, unready, watchStates } from './watch-states.ts';

const source = (freshness: Partial<Freshness>): { freshness: Freshness } => ({
  freshness: { state: 'fresh', resource: 'pods', ...freshness },
});
const FRESH = source({});
const READING = source({ state: 'reading', resource: 'nodes' });
const DENIED = source({ state: 'failing', stale: 'watch pods: 403 Forbidden', isDenied: true });
const SILENT = source({ state: 'silent', stale: 'watch pods: no answer', isDenied: false });

/** @param karmadas freshness of the cache of Karmadas @param others freshness of the other caches */
function localOf(karmadas: object, ...others: readonly object[]): ManagementCluster {
  const metadata = { namespace: 'team', name: 'demo' };
  const list = (): readonly object[] => [{ metadata }] as unknown as KubernetesObject[];
  const own = { ...karmadas, cache: { list } };
  return {
    karmadas: { ...own, informers: [own] },
    informers: [own, ...others],
    quota: { problemOf: () => undefined },
  } as unknown as ManagementCluster;
}

const LOCAL = { metadata: { namespace: 'team', name: 'demo' } };
const REMOTE = {
  ...LOCAL,
  spec: { hostCluster: { secretRef: { namespace: 'team', name: 'host' } } },
};

describe('clusterProblem', () => {
  it.each<[string, readonly { freshness: Freshness }[], unknown]>([
    ['returns undefined when all caches are fresh', [FRESH, FRESH], undefined],
    [
      'names the missing permission and the remedy when a watch is forbidden',
      [FRESH, READING, DENIED],
      {
        reason: 'ClusterAccessDenied',
        message: expect.stringMatching(/\(watch pods: 403 Forbidden\); .*2-rights\.yaml/),
      },
    ],
    [
      'names the watch when the API server does not respond',
      [SILENT],
      { reason: 'ClusterNotObserved', message: expect.stringContaining('watch pods: no answer') },
    ],
    [
      'names the resource when its initial list is not complete',
      [FRESH, READING],
      { reason: 'ClusterNotObserved', message: expect.stringContaining('not complete: nodes') },
    ],
  ])('%s', (_, sources, expected) => {
    expect(clusterProblem(sources)).toEqual(expected);
  });
});

describe('unobserved', () => {
  it('reports any stale cache for a Karmada in the management cluster', () => {
    expect(unobserved(localOf(FRESH, SILENT), LOCAL)?.reason).toBe('ClusterNotObserved');
    expect(unobserved(localOf(FRESH, FRESH), LOCAL)).toBeUndefined();
  });

  it('reports only a stale cache of Karmadas for a Karmada on a remote host cluster', () => {
    expect(unobserved(localOf(FRESH, SILENT), REMOTE)).toBeUndefined();
    expect(unobserved(localOf(DENIED, FRESH), REMOTE)?.reason).toBe('ClusterAccessDenied');
  });
});

describe('unready', () => {
  it.each([
    ['returns undefined when all caches are fresh', [FRESH], undefined],
    [
      'names resources whose initial list is not complete',
      [FRESH, READING],
      'initial lists are not complete: nodes',
    ],
    ['names the stale cache', [READING, DENIED], 'watch pods: 403 Forbidden'],
  ])('%s', (_, others, expected) => {
    expect(unready(localOf(FRESH, ...others))).toBe(expected);
  });
});

describe('caches of single namespaces', () => {
  const inNamespace = (namespace: string, freshness: Partial<Freshness>): object => ({
    ...source({ namespace, ...freshness }),
    namespace,
  });
  const [team, denied] = [
    inNamespace('team', {}),
    inNamespace('other', { state: 'failing', stale: 'list pods: 403', isDenied: true }),
  ];

  it('block only the Karmadas of their namespace', () => {
    const local = localOf(team, denied);
    expect(unobserved(local, LOCAL)).toBeUndefined();
    const other = { metadata: { namespace: 'other', name: 'demo' } };
    expect(unobserved(local, other)?.reason).toBe('ClusterAccessDenied');
    const reading = localOf(inNamespace('team', { state: 'reading' }));
    expect(unobserved(reading, LOCAL)?.message).toContain('not complete: pods in namespace team');
  });

  it('make the operator unready when access to all namespaces is denied, but not to one of several', () => {
    expect(unready(localOf(team, denied))).toBeUndefined();
    expect(unready(localOf(FRESH, denied))).toBe('list pods: 403');
    expect(unready(localOf(DENIED, team))).toBe('watch pods: 403 Forbidden');
  });
});

const instanceOf = (...sources: readonly object[]): InstanceCache =>
  ({ key: 'team/demo', controlPlane: { sources } }) as unknown as InstanceCache;

describe('watchStates', () => {
  it('counts caches by cluster, resource and state', async () => {
    const hosts = [{ informers: [FRESH, SILENT] }, { informers: [FRESH] }] as unknown as Host[];
    const instances = { all: () => [instanceOf(READING)] };
    const metrics = createMetrics('1', { aheadMs: () => 0 });
    metrics.read({ watches: () => watchStates(localOf(FRESH, DENIED), hosts, instances) });
    const body = await exposed(metrics);
    const lines = body.split('\n').filter((line) => line.startsWith('karmada_operator_watches{'));
    expect(lines.sort()).toEqual([
      'karmada_operator_watches{cluster="control-plane",resource="nodes",state="reading"} 1',
      'karmada_operator_watches{cluster="local",resource="pods",state="failing"} 1',
      'karmada_operator_watches{cluster="local",resource="pods",state="fresh"} 1',
      'karmada_operator_watches{cluster="remote",resource="pods",state="fresh"} 2',
      'karmada_operator_watches{cluster="remote",resource="pods",state="silent"} 1',
    ]);
  });
});

describe('StaleWatchMonitor', () => {
  function setUp() {
    const clock = manualClock();
    const changed: string[] = [];
    const environment = { local: localOf(FRESH), instance: instanceOf(FRESH), isOverdue: false };
    const monitor = new StaleWatchMonitor({
      clock,
      readStale: () =>
        staleTexts({ local: environment.local, instances: { peek: () => environment.instance } }),
      isOverdue: () => environment.isOverdue,
      onChange: (key) => changed.push(key),
    });
    monitor.start();
    return { clock, changed, environment, monitor };
  }

  it('requeues a Karmada when a cache becomes stale and when it recovers, and not in between', async () => {
    const { clock, changed, environment, monitor } = setUp();
    await clock.advance(CHECK_INTERVAL_MS);
    expect(changed).toEqual([]);
    environment.local = localOf(FRESH, SILENT);
    await clock.advance(10 * CHECK_INTERVAL_MS);
    expect(changed).toEqual(['team/demo']);
    environment.local = localOf(FRESH);
    await clock.advance(10 * CHECK_INTERVAL_MS);
    expect(changed).toHaveLength(2);
    environment.instance = instanceOf(FRESH, SILENT);
    await clock.advance(10 * CHECK_INTERVAL_MS);
    expect(changed).toHaveLength(3);
    monitor.close();
    expect(clock.pending()).toBe(0);
  });

  it('resolves overdue when isOverdue becomes true', async () => {
    const { clock, environment, monitor } = setUp();
    let over = false;
    void monitor.overdue.then(() => (over = true));
    await clock.advance(CHECK_INTERVAL_MS);
    expect(over).toBe(false);
    environment.isOverdue = true;
    await clock.advance(CHECK_INTERVAL_MS);
    expect(over).toBe(true);
    monitor.close();
  });
});
