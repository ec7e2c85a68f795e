import { describe, expect, it } from '@jest/globals';
import type { KarmadaStatus } from '../../api/karmada.ts';
import { manualClock, settle } from '../../kubernetes/time/clock.fixture.ts';
import { toApiError } from '../../kubernetes/client/errors.ts';
import { LateCalls, LATE_AFTER_MS } from '../../control-plane-access/late-calls.ts';
import { pod, snapshotOf, VIEW, wishOf } from '../../instance/__fixtures__/instance.ts';
import { withReadinessCheck, type CheckedInstance } from './check-readiness.ts';
import type { Assessment } from '../../actions/assessment.ts';
import { assess } from '../../controllers/karmada/assess.ts';
import { reportedReady } from '../../instance/__fixtures__/status.ts';

const DESIRED = wishOf();

/** Assessment of a control plane without incomplete steps. @param name of a Pod of its webhook */
function complete(name: string): Assessment {
  const snapshot = snapshotOf(DESIRED, [...DESIRED.steps]);
  const host = { ...snapshot.host, pods: [pod('karmada-webhook', { name })] };
  const assessment = assess({
    snapshot: { ...snapshot, host },
    view: VIEW,
    desired: DESIRED,
    plan: { actions: [], blockedChanges: [] },
    outcome: { writes: 0, errors: [], problems: [], blockedChanges: [], live: new Map() },
    certificateProblem: undefined,
  });
  return { ...assessment, unfinished: [] };
}

const READY = reportedReady();

type Clusters = NonNullable<NonNullable<CheckedInstance['controlPlane']>['clusters']>;

function setUp() {
  const clock = manualClock();
  const ready = { ended: 0, readyz: Promise.resolve(), paths: [] as string[] };
  const state = { isWebhookCalled: false, checks: 0, joined: [] as unknown[], ...ready };
  const denied = toApiError('create', {
    code: 403,
    body: JSON.stringify({ kind: 'Status', message: 'admission webhook denied the request' }),
  });
  const client = {
    create: () => {
      state.checks += 1;
      return state.isWebhookCalled ? Promise.reject(denied) : Promise.resolve({} as never);
    },
    raw: (path: string) => {
      state.paths.push(path.replace(/.*\//, ''));
      return state.readyz.then(() => ({ status: 200, body: 'ok' }));
    },
  };
  const calls = new LateCalls({ clock, onEnd: () => (state.ended += 1) });
  const clusters: { -readonly [K in keyof Clusters]: Clusters[K] } = {
    firstList: undefined,
    hasSynced: false,
    problem: undefined,
    clusters: () => [],
    credentialExpiries: () => new Map(),
  };
  const instance: { -readonly [K in keyof CheckedInstance]: CheckedInstance[K] } = {
    controlPlane: { client, calls, clusters },
  };
  const check = async (assessment = complete('one'), before: KarmadaStatus = {}, on = instance) => {
    const tools = { clock, random: () => 0.5 };
    const { remember, ...checked } = await withReadinessCheck(tools, on, assessment, before);
    Object.assign(on, remember);
    state.joined.push(checked.assessment.snapshot.memberClusters);
    return checked.assessment.unfinished.map(({ step }) => step);
  };
  return { clock, state, instance, check, clusters };
}

describe('withReadinessCheck', () => {
  it('reports failed checks, and repeats them only after the retry delay', async () => {
    const { clock, state, check } = setUp();
    expect(await check()).toEqual(['serving']);
    await clock.advance(99);
    expect([await check(), state.checks]).toEqual([['serving'], 1]);
    await clock.advance(1);
    expect([await check(), state.checks]).toEqual([['serving'], 2]);
    await clock.advance(149);
    expect([await check(), state.checks]).toEqual([['serving'], 2]);
  });

  it('reports nothing when all checks pass', async () => {
    const { clock, state, instance, check } = setUp();
    await check();
    state.isWebhookCalled = true;
    await clock.advance(100);
    expect([await check(), instance.failedReadiness]).toEqual([[], undefined]);
  });

  it('waits a quarter of a second for the responses, and receives later ones in the next reconcile', async () => {
    const { clock, state, instance, check } = setUp();
    let respond = (): void => undefined;
    state.readyz = new Promise((resolve) => (respond = resolve));
    state.isWebhookCalled = true;
    const first = check();
    await clock.advance(LATE_AFTER_MS);
    expect([await first, instance.failedReadiness]).toEqual([['serving'], undefined]);
    respond();
    await settle();
    expect(state.ended).toBe(1);
    expect([await check(), state.checks]).toEqual([[], 1]);
  });

  describe('while the Clusters are listed', () => {
    it('sends no further request for them, and knows the member clusters', async () => {
      const { state, check, clusters } = setUp();
      state.isWebhookCalled = true;
      clusters.firstList = Promise.resolve(true);
      clusters.hasSynced = true;
      expect([await check(), state.paths, state.joined]).toEqual([[], ['readyz'], [[]]]);
    });

    it('sends a request for one when the list fails', async () => {
      const { state, check, clusters } = setUp();
      state.isWebhookCalled = true;
      clusters.firstList = Promise.resolve(false);
      expect([await check(), state.paths, state.joined]).toEqual([
        [],
        ['readyz', 'clusters?limit=1'],
        [undefined],
      ]);
    });

    it('sends a request for one when the list takes half a second', async () => {
      const { clock, state, check, clusters } = setUp();
      state.isWebhookCalled = true;
      clusters.firstList = new Promise(() => undefined);
      const first = check();
      await clock.advance(LATE_AFTER_MS);
      expect([await first, state.paths]).toEqual([['serving'], ['readyz']]);
      await clock.advance(500 - LATE_AFTER_MS);
      expect([await check(), state.paths]).toEqual([[], ['readyz', 'clusters?limit=1']]);
    });

    it('sends a request for one after a failed check', async () => {
      const { clock, state, check, clusters } = setUp();
      clusters.firstList = Promise.resolve(true);
      await check();
      await clock.advance(100);
      await check();
      expect(state.paths).toEqual(['readyz', 'readyz', 'clusters?limit=1']);
    });
  });

  it('checks again at once when a Pod was replaced', async () => {
    const { state, instance, check } = setUp();
    await check();
    await check(complete('two'));
    expect([state.checks, instance.failedReadiness?.failedAttempts]).toEqual([2, 1]);
  });

  it.each<[string, Assessment, KarmadaStatus, CheckedInstance | undefined]>([
    ['is already Ready in this generation', complete('one'), READY, undefined],
    ['has no client yet', complete('one'), {}, {}],
    [
      'has an incomplete step',
      { ...complete('one'), unfinished: [{ step: 'crds', message: '' }] },
      {},
      undefined,
    ],
    [
      'has a problem',
      { ...complete('one'), problem: { reason: 'CrashLoopBackOff', message: '' } },
      {},
      undefined,
    ],
    [
      'has a blocked change',
      { ...complete('one'), blocked: { step: 'etcd', reason: 'CrashLoopBackOff', message: '' } },
      {},
      undefined,
    ],
  ])('does not check a control plane that %s', async (_, assessment, before, on) => {
    const { state, check } = setUp();
    const found = await check(assessment, before, on);
    expect([found, state.checks]).toEqual([assessment.unfinished.map(({ step }) => step), 0]);
  });
});
