import { describe, expect, it } from '@jest/globals';
import type { Karmada, KarmadaStatus } from '../../api/karmada.ts';
import { DEFAULT_ADDRESSES } from '../../kubernetes/connection/addresses.ts';
import { addressesOf, NameResolver } from '../../kubernetes/connection/name-resolver.ts';
import { TEMPLATES } from '../../components/__fixtures__/golden.ts';
import { manualClock, memoryLog } from '../../kubernetes/time/clock.fixture.ts';
import {
  ARCHIVE,
  karmadaOf,
  snapshotOf,
  VIEW,
  wishOf,
} from '../../instance/__fixtures__/instance.ts';
import { converge, type ConvergeTools } from './converge.ts';
import { ReportedError } from './reported-error.ts';
import { nextStatus, resultOf } from './result.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import type { Assessment } from '../../actions/assessment.ts';
import type { ExecutionResult } from '../../actions/execution-result.ts';
import { assess } from './assess.ts';
import type { ObservationAge } from '../../assessment/first-observation.ts';
import { reportedReady } from '../../instance/__fixtures__/status.ts';

const DESIRED = wishOf();
/** The control plane with all its objects. */
const READ = snapshotOf(DESIRED, [...DESIRED.steps]).controlPlane;
const SYNCING = { state: 'syncing', message: 'initial read not complete', objects: [] } as const;

function assessed(more: Partial<Snapshot>, late: Partial<ExecutionResult> = {}): Assessment {
  const snapshot = snapshotOf(DESIRED, [...DESIRED.steps], more);
  const outcome = {
    writes: 0,
    errors: [],
    problems: [],
    blockedChanges: [],
    live: new Map(),
    ...late,
  };
  const plan = { actions: [], blockedChanges: [] };
  const rest = { view: VIEW, desired: DESIRED, certificateProblem: undefined };
  return assess({ snapshot, outcome, plan, ...rest });
}

const reported = (observedGeneration: number): KarmadaStatus => ({
  phase: 'Running',
  ...reportedReady(observedGeneration),
});

describe('nextStatus', () => {
  const age: ObservationAge = {
    sinceMs: 0,
    isPending: false,
    pendingMs: 0,
    unobservedMs: 0,
    hasRead: false,
  };

  it('returns the previous status until the first observation is complete', () => {
    const before = reported(2);
    expect(nextStatus(assessed({ controlPlane: SYNCING }), before, age)).toBe(before);
  });

  /** The StatefulSet of etcd has a generation that its controller has not observed. */
  const unobserved = (status: object = {}): Partial<Snapshot> => {
    const { host } = snapshotOf(DESIRED, [...DESIRED.steps]);
    const objects = host.objects.map((object) =>
      object.kind === 'StatefulSet'
        ? {
            ...object,
            metadata: { ...object.metadata, generation: 2 },
            status: { ...(object['status'] as object), ...status },
          }
        : object,
    );
    return { host: { ...host, objects } };
  };

  it('returns the previous status until a controller has observed a change', () => {
    const before = reported(2);
    expect(nextStatus(assessed(unobserved()), before, { ...age, hasRead: true })).toBe(before);
  });

  /** The control plane lacks a ClusterRole, whose write has not ended. */
  const unwritten = (): Partial<Snapshot> => ({
    controlPlane: {
      ...READ,
      objects: READ.objects.filter(({ metadata }) => metadata.name !== 'cluster-proxy-admin'),
    },
  });
  const LATE = { lateSteps: ['rbac'] } as const;

  it.each<[string, Partial<Snapshot>]>([
    ['a write to the control plane has ended', unwritten()],
    [
      'a write has ended and a controller has observed a change, as after an upgrade of the operator',
      { ...unwritten(), ...unobserved() },
    ],
  ])('returns the previous status until %s', (_, seen) => {
    const before = reported(2);
    expect(nextStatus(assessed(seen, LATE), before, { ...age, hasRead: true })).toBe(before);
  });

  it.each<[string, Partial<Snapshot>, Partial<ExecutionResult>, KarmadaStatus]>([
    ['no write is awaited', unwritten(), {}, reported(2)],
    ['a write of another step is awaited', unwritten(), { lateSteps: ['crds'] }, reported(2)],
    [
      'a write is awaited and another has failed',
      unwritten(),
      { ...LATE, errors: [new Error('timed out')] },
      reported(2),
    ],
    ['a write is awaited after a change of the spec', unwritten(), LATE, reported(1)],
    ['a write is awaited and the control plane was not Ready', unwritten(), LATE, {}],
  ])('returns the observed status when %s', (_, seen, late, before) => {
    const found = nextStatus(assessed(seen, late), before, { ...age, hasRead: true });
    expect(found).not.toBe(before);
  });

  it.each<[string, Partial<Snapshot>, KarmadaStatus, Partial<ObservationAge>]>([
    ['everything is observed', {}, reported(2), { hasRead: true }],
    [
      'a controller does not observe a change for too long',
      unobserved(),
      reported(2),
      { hasRead: true, unobservedMs: 1e9 },
    ],
    ['a controller has not observed a change of the spec', unobserved(), reported(1), {}],
    [
      'the API server is not ready either',
      {
        ...unobserved(),
        controlPlane: { ...READ, state: 'waiting', message: '/readyz: 500', listens: true },
      },
      reported(2),
      { hasRead: true },
    ],
    [
      'a Pod is not available either',
      unobserved({ availableReplicas: 0 }),
      reported(2),
      { hasRead: true },
    ],
    [
      'the first observation takes too long',
      { controlPlane: SYNCING },
      reported(2),
      { sinceMs: 1e9, pendingMs: 1e9 },
    ],
    ['the spec has changed', { controlPlane: SYNCING }, reported(1), {}],
    ['there is no status', { controlPlane: SYNCING }, {}, {}],
  ])('returns the observed status when %s', (_, seen, before, more) => {
    const found = nextStatus(assessed(seen), before, { ...age, ...more });
    expect(found.observedGeneration).toBe(2);
    expect(found).not.toBe(before);
  });
});

describe('resultOf', () => {
  const end = { errors: [], startsNext: false, statusDelayMs: 0, requeueAfterMs: 600_000 };
  const error = new Error('first');

  it.each<[string, Parameters<typeof resultOf>[0], ReturnType<typeof resultOf>]>([
    ['the requeue delay of the control plane', end, { requeueAfterMs: 600_000 }],
    [
      'the shortest delay when the announcement of a rollout is written',
      { ...end, startsNext: true },
      { requeueAfterMs: 1 },
    ],
    [
      'the delay of the status that announces a rollout',
      { ...end, startsNext: true, statusDelayMs: 700 },
      { requeueAfterMs: 700 },
    ],
  ])('returns %s', (_, given, expected) => {
    expect(resultOf(given)).toEqual(expected);
  });

  it('throws the first error, so that the queue backs off', () => {
    const failed = { ...end, errors: [error, new Error('second')], startsNext: true };
    expect(() => resultOf(failed)).toThrow(new ReportedError(error));
    expect(() => resultOf(failed)).toThrow(expect.objectContaining({ cause: error }));
  });
});

const NOTHING = {
  cache: { list: () => [], get: () => undefined, byIndex: () => [] },
  isCompleteIn: () => true,
};

/** A control plane with an external etcd whose first health check is in progress. */
function setUp(patch: (status: KarmadaStatus) => void) {
  const secretRef = { namespace: 'team', name: 'etcd-client' };
  const external = { endpoints: ['https://etcd.example.com:2379'], secretRef };
  const client = {
    patch: (_type: object, _key: object, { status }: { status: KarmadaStatus }) => {
      patch(status);
      return Promise.resolve({ metadata: { resourceVersion: '7' } });
    },
  };
  const host = {
    client,
    owned: [],
    pods: NOTHING,
    claims: NOTHING,
    nodes: NOTHING,
    storageClasses: NOTHING,
    namespaces: NOTHING,
    karmadas: NOTHING,
    rights: { missingFor: () => [], lacks: () => false },
  };
  const tools = {
    local: host,
    host,
    clock: manualClock(),
    random: () => 0,
    log: memoryLog(),
    templates: TEMPLATES,
    rolloutLimit: { atOnce: { count: 1 }, failures: { count: 0 } },
    userAgent: 'test',
    secretPolicy: { mode: 'Granted' },
    addresses: addressesOf(DEFAULT_ADDRESSES, new NameResolver()),
    instances: { all: () => [], peek: () => undefined },
    archives: { of: () => Promise.resolve({ archive: ARCHIVE }), forget: () => undefined },
    etcds: {
      ...{ of: () => undefined, earlierUserOf: () => undefined },
      ...{ again: () => undefined, forget: () => undefined },
    },
    etcdMembers: { results: () => [], observe: () => undefined, forget: () => undefined },
    eventReader: {
      of: () => ({ events: [], isAllowed: true }),
      observe: () => undefined,
      forget: () => undefined,
    },
    progressDeadlineMs: 300_000,
    events: { record: () => undefined },
    enqueue: () => undefined,
  };
  const instance: InstanceCache = { key: 'team/karmada-demo', settled: new Map() };
  const { metadata, ...rest } = karmadaOf({ components: { etcd: { external } } });
  const karmada: Karmada = { ...rest, metadata: { ...metadata, resourceVersion: '6' } };
  return { tools: tools as object as ConvergeTools, instance, karmada };
}

describe('converge', () => {
  it('reports the health check of an external etcd and creates nothing before its result', async () => {
    const written: KarmadaStatus[] = [];
    const { tools, instance, karmada } = setUp((status) => written.push(status));
    expect(await converge(tools, instance, karmada)).toEqual({ requeueAfterMs: 15_000 });
    const [status, ...more] = written;
    expect(more).toEqual([]);
    expect(status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      message: 'external etcd: health check in progress',
    });
    expect(await converge(tools, instance, karmada)).toEqual({ requeueAfterMs: 15_000 });
    expect(written).toHaveLength(1);
  });

  it('rejects when the status cannot be written, and writes it in the next reconcile', async () => {
    const state = { broken: true, writes: 0 };
    const { tools, instance, karmada } = setUp(() => {
      if (state.broken) throw new Error('the API server is unreachable');
      state.writes += 1;
    });
    await expect(converge(tools, instance, karmada)).rejects.toThrow('unreachable');
    state.broken = false;
    await converge(tools, instance, karmada);
    expect(state.writes).toBe(1);
  });
});
