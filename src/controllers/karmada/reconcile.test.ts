import { describe, expect, it } from '@jest/globals';
import type { Karmada, KarmadaSpec } from '../../api/karmada.ts';
import { manualClock, memoryLog } from '../../kubernetes/clock.fixture.ts';
import { karmadaOf } from '../../instance/__fixtures__/instance.ts';
import { createReconcile, type ReconcileTools } from './reconcile.ts';

const KEY = 'team/karmada-demo';
const FRESH = { freshness: { state: 'fresh', resource: 'any' } };

/** State of the namespace in the caches. */
interface Quota {
  readonly limit?: string;
  readonly isReading?: boolean;
}

/** Tools that record which background work was stopped. @param karmada the cached Karmada, if there is one */
function setUp(karmada: Karmada | undefined, { limit, isReading = false }: Quota = {}) {
  const stopped: string[] = [];
  const phases: (string | undefined)[] = [];
  const stops = (name: string) => ({ forget: (key: string) => stopped.push(`${name} ${key}`) });
  const local = {
    karmadas: { ...FRESH, cache: { get: () => karmada, list: () => (karmada ? [karmada] : []) } },
    namespaces: { ...FRESH, cache: { get: () => undefined } },
    client: {
      patch: (_type: object, _key: object, { status }: { status: { phase?: string } }) => {
        phases.push(status.phase);
        return Promise.resolve({ metadata: {} });
      },
    },
    informers: [FRESH],
    quota: { problemOf: () => limit, isComplete: () => limit === undefined && !isReading },
  };
  const instance = { key: KEY, settled: new Map() };
  const tools = {
    local,
    clock: manualClock(),
    log: memoryLog(),
    events: { record: () => undefined },
    archives: stops('archives'),
    etcds: stops('etcds'),
    etcdMembers: stops('members'),
    eventReader: stops('events'),
    instances: { ...stops('cache'), get: () => instance, peek: () => instance },
    hosts: { leave: () => undefined },
  };
  const reconcile = createReconcile(tools as object as ReconcileTools);
  return { reconcile: () => reconcile(KEY, AbortSignal.abort()), stopped, phases };
}

const POLLED = ['archives', 'etcds', 'members', 'events'].map((name) => `${name} ${KEY}`);

describe('createReconcile', () => {
  it.each<[string, KarmadaSpec, string]>([
    ['suspended', { suspend: true }, 'Suspended'],
    ['invalid', { hostCluster: { networking: { dnsDomain: 'no domain' } } }, 'Failed'],
  ])('stops all polling for a Karmada that is %s', async (_, spec, phase) => {
    const { reconcile, stopped, phases } = setUp(karmadaOf(spec));
    expect(await reconcile()).toEqual({});
    expect([stopped, phases]).toEqual([POLLED, [phase]]);
  });

  it('stops all polling and frees the cache when the Karmada is gone', async () => {
    const { reconcile, stopped } = setUp(undefined);
    expect(await reconcile()).toEqual({});
    expect(stopped).toEqual([...POLLED, `cache ${KEY}`]);
  });

  it.each<[string, KarmadaSpec]>([
    ['a Karmada', {}],
    ['an invalid Karmada', { hostCluster: { networking: { dnsDomain: 'no domain' } } }],
  ])('only reports the limit for %s in a namespace that exceeds it', async (_, spec) => {
    const { reconcile, stopped, phases } = setUp(karmadaOf(spec), { limit: 'secrets: too many' });
    expect(await reconcile()).toEqual({ requeueAfterMs: 10_000 });
    expect([stopped, phases]).toEqual([[], ['Installing']]);
  });

  it.each<[string, object]>([
    ['suspended, and its namespace exceeds a limit', { limit: 'secrets: too many' }],
    ['suspended, and its namespace is being read', { isReading: true }],
  ])('changes nothing for a Karmada that is %s', async (_, quota) => {
    const { reconcile, stopped, phases } = setUp(karmadaOf({ suspend: true }), quota);
    expect(await reconcile()).toEqual({});
    expect([stopped, phases]).toEqual([[], []]);
  });
});
