import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { pod, snapshotOf, wishOf } from '../../instance/__fixtures__/instance.ts';
import type { EventFact } from '../../causes/event-facts.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { stepStates } from '../components/steps.ts';
import { stagesOf, type StageProgress } from './stages.ts';
import type { ObjectCondition } from '../../kubernetes/objects/object.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const DESIRED = wishOf();
const EMPTY = snapshotOf(DESIRED, []);

/** The control plane in which only the workload of etcd is not available. */
const ETCD_STARTS: readonly KubernetesObject[] = snapshotOf(DESIRED, [
  ...DESIRED.steps,
]).host.objects.map((object) =>
  object.kind === 'StatefulSet' ? { ...object, status: { observedGeneration: 1 } } : object,
);

interface Given {
  readonly main?: object;
  readonly events?: readonly Partial<EventFact>[] | 'forbidden';
  readonly claims?: readonly KubernetesObject[];
  readonly conditions?: readonly ObjectCondition[];
}

function seen({ main, events = [], claims = [], conditions = [] }: Given): Snapshot {
  const base = pod('etcd', { ready: false });
  const status = {
    conditions,
    ...(main !== undefined && { containerStatuses: [{ name: 'etcd', ...main }] }),
  };
  const facts = events === 'forbidden' ? [] : events;
  return {
    ...snapshotOf(DESIRED, [...DESIRED.steps]),
    host: { objects: ETCD_STARTS, pods: [{ ...base, status }], claims },
    events: {
      isAllowed: events !== 'forbidden',
      events: facts.map((event) => ({
        uid: 'uid-etcd-0',
        reason: '',
        note: '',
        count: 1,
        firstAt: NOW,
        lastAt: NOW,
        ...event,
      })),
    },
  };
}

/** A recovery of etcd whose restored data needs a volume. */
function recovering(...events: readonly Partial<EventFact>[]): Partial<Snapshot> {
  const recovery = { phase: 'restoring', from: 'x' } as const;
  return {
    etcdBootstrap: { recovery } as Snapshot['etcdBootstrap'] & object,
    host: { ...EMPTY.host, keptClaims: [claim] },
    events: seen({ events }).events,
    now: NOW,
  };
}

function stageIn(snapshot: Snapshot, stage = 'etcd'): StageProgress | undefined {
  const states = stepStates(DESIRED, snapshot);
  return stagesOf({ snapshot, states, unfinished: [] }).find((one) => one.stage === stage);
}

const CREATING = {
  ready: false,
  started: false,
  state: { waiting: { reason: 'ContainerCreating' } },
};
const running = (startedAt: string, started = false): object => ({
  ready: false,
  started,
  state: { running: { startedAt } },
});
const claim: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'c', uid: 'claim' },
  status: { phase: 'Pending' },
};
const of = (reason: string, note = ''): Partial<EventFact> => ({ reason, note, container: 'etcd' });
const ofClaim = (reason: string, note = ''): Partial<EventFact> => ({ uid: 'claim', reason, note });
const SANDBOX = [
  { type: 'PodReadyToStartContainers', status: 'True', lastTransitionTime: '2025-12-31T23:50:00Z' },
];

describe('a stage is at work', () => {
  it.each<[string, Given, boolean]>([
    ['while an image is pulled', { main: CREATING, events: [of('Pulling')] }, true],
    [
      'no more when the pull has failed',
      { main: CREATING, events: [of('Failed'), { ...of('Pulling'), lastAt: NOW - 1 }] },
      false,
    ],
    [
      'not while a volume cannot be mounted',
      { main: CREATING, events: [{ reason: 'FailedMount' }] },
      false,
    ],
    [
      'while an image may be pulled and Events are forbidden',
      { main: CREATING, events: 'forbidden', conditions: SANDBOX },
      true,
    ],
    ['not without a sandbox and Events', { main: CREATING, events: 'forbidden' }, false],
    ['while a volume is created', { events: [ofClaim('Provisioning')], claims: [claim] }, true],
    [
      'while a slow volume is created again',
      {
        events: [ofClaim('ProvisioningFailed', 'rpc error: code = DeadlineExceeded desc = x')],
        claims: [claim],
      },
      true,
    ],
    [
      'not when a volume cannot be created',
      {
        events: [ofClaim('ProvisioningFailed', 'rpc error: code = ResourceExhausted')],
        claims: [claim],
      },
      false,
    ],
    ['while the autoscaler adds a node', { events: [{ reason: 'TriggeredScaleUp' }] }, true],
    [
      'while a large etcd reads its data',
      {
        main: running('2025-12-31T23:30:00Z'),
        events: [
          of(
            'Unhealthy',
            'Startup probe failed: Get "http://x:2381/health": dial tcp: connect: connection refused',
          ),
        ],
      },
      true,
    ],
    [
      'not while etcd waits for other members',
      {
        main: running('2025-12-31T23:30:00Z'),
        events: [of('Unhealthy', 'Startup probe failed: HTTP probe failed with statuscode: 503')],
      },
      false,
    ],
    ['not when etcd runs', { main: running('2025-12-31T23:30:00Z', true) }, false],
  ])('%s', (_, given, expected) => {
    expect(stageIn(seen(given))?.isAtWork).toBe(expected);
  });

  it.each<[string, Partial<Snapshot>, string, boolean]>([
    ['while the CRD archive is fetched', { archive: { pending: 'x' } }, 'crds', true],
    ['not while a recovery of etcd waits for a Pod', recovering(), 'etcd-recovery', false],
    [
      'while the volume for the restored data of etcd is created',
      recovering({ uid: 'claim', reason: 'Provisioning' }),
      'etcd-recovery',
      true,
    ],
  ])('%s', (_, more, stage, expected) => {
    expect(stageIn({ ...EMPTY, ...more }, stage)?.isAtWork).toBe(expected);
  });
});

describe('the state of a stage', () => {
  const stateOf = (main: object): string | undefined => stageIn(seen({ main }))?.state;

  it('changes when a container starts', () => {
    expect(stateOf(CREATING)).not.toBe(stateOf(running('2026-01-01T00:00:00Z', true)));
  });

  it('does not change with restarts and waiting reasons', () => {
    const loop = {
      ...CREATING,
      restartCount: 9,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
    };
    expect(stateOf(loop)).toBe(stateOf(CREATING));
  });

  it('is absent for complete stages', () => {
    const complete = snapshotOf(DESIRED, [...DESIRED.steps]);
    const states = stepStates(DESIRED, complete);
    expect(stagesOf({ snapshot: complete, states, unfinished: [] })).toEqual([]);
  });
});
