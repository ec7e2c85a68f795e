import { describe, expect, it } from '@jest/globals';
import {
  FINALIZER,
  type Karmada,
  type KarmadaSpec,
  type KarmadaStatus,
} from '../../api/karmada.ts';
import type { Problem } from '../../api/reasons/problem.ts';
import { manualClock, memoryLog } from '../../kubernetes/time/clock.fixture.ts';
import { karmadaOf } from '../../instance/__fixtures__/instance.ts';
import { createReconcile, type ReconcileTools } from './reconcile.ts';

const KEY = 'team/karmada-demo';
const FRESH = { freshness: { state: 'fresh', resource: 'any' } };

/** State of the namespace in the caches. */
interface Quota {
  readonly limit?: string;
  readonly isReading?: boolean;
  /** Why the operator does not connect to the host cluster. */
  readonly hosts?: Problem;
}

/** Tools that record which background work was stopped. @param karmada the cached Karmada, if there is one */
function setUp(karmada: Karmada | undefined, { limit, isReading = false, hosts }: Quota = {}) {
  const stopped: string[] = [];
  const phases: (string | undefined)[] = [];
  const messages: string[] = [];
  const stops = (name: string) => ({ forget: (key: string) => stopped.push(`${name} ${key}`) });
  const local = {
    karmadas: {
      informers: [FRESH],
      cache: { get: () => karmada, list: () => (karmada ? [karmada] : []) },
    },
    namespaces: { ...FRESH, cache: { get: () => undefined } },
    client: {
      patch: (_type: object, _key: object, { status }: { status: KarmadaStatus }) => {
        phases.push(status.phase);
        messages.push(...(status.conditions ?? []).map(({ message }) => message));
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
    instances: {
      ...stops('cache'),
      reset: () => Promise.resolve(),
      get: () => instance,
      peek: () => instance,
    },
    hosts: { leave: (key: string) => void (karmada && stopped.push(`host ${key}`)) },
    hostLimits: { problemOf: () => hosts },
  };
  const reconcile = createReconcile(tools as object as ReconcileTools);
  return { reconcile: () => reconcile(KEY, AbortSignal.abort()), stopped, phases, messages };
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

  describe('of a Karmada above the limit of host clusters', () => {
    const hosts: Problem = { reason: 'TooManyHostClusters', message: 'raise the limit' };
    const above = karmadaOf({ hostCluster: { secretRef: { namespace: 'team', name: 'host' } } });
    const deleted = (finalizers: readonly string[]): Karmada => ({
      ...above,
      metadata: { ...above.metadata, deletionTimestamp: '2026-11-27T00:00:00Z', finalizers },
    });

    it('disconnects from the host cluster and reports the limit', async () => {
      const { reconcile, stopped, phases, messages } = setUp(above, { hosts });
      expect(await reconcile()).toEqual({});
      expect(stopped).toEqual([`host ${KEY}`, `members ${KEY}`]);
      expect([phases, new Set(messages)]).toEqual([['Installing'], new Set(['raise the limit'])]);
    });

    it('reports what the deletion waits for', async () => {
      const { reconcile, phases, messages } = setUp(deleted([FINALIZER]), { hosts });
      expect(await reconcile()).toEqual({});
      expect(phases).toEqual(['Deleting']);
      expect(messages).toContainEqual(
        expect.stringMatching(/^deletion blocked: raise the limit\. .* run kubectl/),
      );
    });

    it('does not delay the deletion when the installation has not begun', async () => {
      const { reconcile, phases } = setUp(deleted([]), { hosts });
      expect([await reconcile(), phases]).toEqual([{}, []]);
    });
  });
});
