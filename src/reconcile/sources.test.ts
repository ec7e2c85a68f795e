import { describe, expect, it } from '@jest/globals';
import { manualClock } from '../kubernetes/clock.fixture.ts';
import type { Freshness } from '../kubernetes/freshness.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { createMetrics } from '../metrics.ts';
import type { Host, Local } from '../hosts/host.ts';
import type { Instance } from './instance.ts';
import { LOOK_MS, SourceMonitor } from './source-monitor.ts';
import { clusterProblem, staleTexts, unobserved, unready, watchStates } from './sources.ts';

const source = (freshness: Partial<Freshness>): { freshness: Freshness } => ({
  freshness: { state: 'fresh', resource: 'pods', ...freshness },
});
const FRESH = source({});
const READING = source({ state: 'reading', resource: 'nodes' });
const DENIED = source({ state: 'failing', stale: 'watch pods: 403 Forbidden', isDenied: true });
const SILENT = source({ state: 'silent', stale: 'watch pods: no answer', isDenied: false });

/** @param karmadas how their cache is @param others how the other caches are */
function localOf(karmadas: object, ...others: readonly object[]): Local {
  const metadata = { namespace: 'team', name: 'demo' };
  const list = (): readonly object[] => [{ metadata }] as unknown as KubernetesObject[];
  const own = { ...karmadas, cache: { list } };
  return { karmadas: own, informers: [own, ...others] } as unknown as Local;
}

const REMOTE = { spec: { hostCluster: { secretRef: { namespace: 'team', name: 'host' } } } };

describe('clusterProblem', () => {
  it.each<[string, readonly { freshness: Freshness }[], unknown]>([
    ['is none when all caches are fresh', [FRESH, FRESH], undefined],
    [
      'names the right that is missing, and what gives it back',
      [FRESH, READING, DENIED],
      {
        reason: 'ClusterAccessDenied',
        message: expect.stringMatching(/watch pods: 403 Forbidden; .*2-rights\.yaml/),
      },
    ],
    [
      'names what is silent',
      [SILENT],
      { reason: 'ClusterNotObserved', message: expect.stringContaining('watch pods: no answer') },
    ],
    [
      'names what has not been read yet',
      [FRESH, READING],
      { reason: 'ClusterNotObserved', message: expect.stringContaining('not filled yet: nodes') },
    ],
  ])('%s', (_, sources, expected) => {
    expect(clusterProblem(sources)).toEqual(expected);
  });
});

describe('a Karmada', () => {
  it('rests on all caches of the cluster in which it runs', () => {
    expect(unobserved(localOf(FRESH, SILENT), {})?.reason).toBe('ClusterNotObserved');
    expect(unobserved(localOf(FRESH, FRESH), {})).toBeUndefined();
  });

  it('on another host rests on the Karmadas alone', () => {
    expect(unobserved(localOf(FRESH, SILENT), REMOTE)).toBeUndefined();
    expect(unobserved(localOf(DENIED, FRESH), REMOTE)?.reason).toBe('ClusterAccessDenied');
  });
});

describe('/readyz', () => {
  it.each([
    ['is well', [FRESH], undefined],
    ['names what is being read', [FRESH, READING], 'caches are not filled yet: nodes'],
    ['names what is stale', [READING, DENIED], 'watch pods: 403 Forbidden'],
  ])('%s', (_, others, expected) => {
    expect(unready(localOf(FRESH, ...others))).toBe(expected);
  });
});

const instanceOf = (...sources: readonly object[]): Instance =>
  ({ key: 'team/demo', controlPlane: { sources } }) as unknown as Instance;

describe('the metric of watches', () => {
  it('counts caches by cluster, resource and state', async () => {
    const hosts = [{ informers: [FRESH, SILENT] }, { informers: [FRESH] }] as unknown as Host[];
    const instances = { all: () => [instanceOf(READING)] };
    const states = () => watchStates(localOf(FRESH, DENIED), hosts, instances);
    const { body } = await createMetrics('1', { aheadMs: () => 0 }, states).expose();
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

describe('SourceMonitor', () => {
  function setUp() {
    const clock = manualClock();
    const changed: string[] = [];
    const world = { local: localOf(FRESH), instance: instanceOf(FRESH), isOverdue: false };
    const monitor = new SourceMonitor({
      clock,
      look: () => staleTexts({ local: world.local, instances: { peek: () => world.instance } }),
      isOverdue: () => world.isOverdue,
      onChange: (key) => changed.push(key),
    });
    monitor.start();
    return { clock, changed, world, monitor };
  }

  it('asks for a pass when a cache becomes stale and when it recovers, and not in between', async () => {
    const { clock, changed, world, monitor } = setUp();
    await clock.advance(LOOK_MS);
    expect(changed).toEqual([]);
    world.local = localOf(FRESH, SILENT);
    await clock.advance(10 * LOOK_MS);
    expect(changed).toEqual(['team/demo']);
    world.local = localOf(FRESH);
    await clock.advance(10 * LOOK_MS);
    expect(changed).toHaveLength(2);
    world.instance = instanceOf(FRESH, SILENT);
    await clock.advance(10 * LOOK_MS);
    expect(changed).toHaveLength(3);
    monitor.close();
    expect(clock.pending()).toBe(0);
  });

  it('resolves when something is overdue', async () => {
    const { clock, world, monitor } = setUp();
    let over = false;
    void monitor.overdue.then(() => (over = true));
    await clock.advance(LOOK_MS);
    expect(over).toBe(false);
    world.isOverdue = true;
    await clock.advance(LOOK_MS);
    expect(over).toBe(true);
    monitor.close();
  });
});
