import { describe, expect, it } from '@jest/globals';
import { anyClient } from '../../kubernetes/client/any-client.fixture.ts';
import { AT, answerOf } from '../../etcd/__fixtures__/answers.ts';
import type { EtcdResult } from '../../etcd/member-status.ts';
import { JOIN_ANNOTATION } from '../../components/etcd/join.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { ApiError } from '../../kubernetes/client/errors.ts';
import type { ChangeEtcdMembers } from '../../actions/action.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import {
  answersOf,
  desiredSet,
  nameOf,
  podAt,
  setIn,
  snapshotWith,
} from '../../etcd-cluster/members/__fixtures__/objects.ts';
import {
  recordedClient,
  type Call,
} from '../../etcd-cluster/members/__fixtures__/recorded-client.ts';
import type { EtcdTarget } from '../../etcd/client.ts';
import { changeMembers, type EtcdChangeTools } from './change-members.ts';

/** The Pods may join, so each of them needs a write. */
const JOINING = [0, 1, 2].map((ordinal) =>
  podAt(ordinal, { metadata: { annotations: { [JOIN_ANNOTATION]: ',a=b' } } }),
);

interface Live {
  readonly snapshot?: Snapshot;
  readonly statefulSet?: KubernetesObject | undefined;
  readonly pods?: readonly KubernetesObject[];
  readonly results?: readonly EtcdResult[];
  readonly failure?: (call: Call) => Error | undefined;
  /** Duration of a query of the members, in milliseconds. */
  readonly takesMs?: number;
}

interface Run {
  readonly tools: EtcdChangeTools;
  readonly calls: readonly Call[];
  readonly applied: string[];
  readonly logged: object[];
  readonly lists: object[];
  observed(): number;
}

/** Tools for live objects, which writes do not change. */
function toolsFor(live: Live = {}): Run {
  const { snapshot = snapshotWith(), pods = snapshot.host.pods, results = answersOf() } = live;
  const statefulSet = 'statefulSet' in live ? live.statefulSet : setIn(snapshot);
  const { client, calls } = recordedClient(live.failure);
  const applied: string[] = [];
  const [logged, lists]: [object[], object[]] = [[], []];
  const time = { now: 0, observed: 0 };
  const nothing = (): void => undefined;
  const items = { Pod: pods, PersistentVolumeClaim: snapshot.host.claims };
  const tools: EtcdChangeTools = {
    client: anyClient({
      ...client,
      find: async () => statefulSet,
      list: async ({ kind }, options) => {
        lists.push({ kind, ...options });
        return { resourceVersion: '1', items: items[kind as keyof typeof items] };
      },
    }),
    ask: async () => {
      time.now += live.takesMs ?? 0;
      return results;
    },
    targets: () => new Map(),
    clock: { wall: () => AT, monotonic: () => time.now },
    log: { debug: nothing, warn: nothing, error: nothing, info: (fields) => logged.push(fields) },
    apply: async ({ object }) => {
      applied.push(object.metadata.name);
      return { writes: 1, live: ['key', object] };
    },
    observe: () => (time.observed += 1),
  };
  return { tools, calls, applied, logged, lists, observed: () => time.observed };
}

const actionFor = (snapshot: Snapshot, replicas?: number): ChangeEtcdMembers => ({
  kind: 'changeEtcdMembers',
  statefulSet: setIn(snapshot),
  ...(replicas !== undefined && { scaled: { replicas, target: desiredSet() } }),
});

const five = snapshotWith({ local: { replicas: 5 } });
const three = snapshotWith();

describe('changeMembers', () => {
  it('executes at most three steps, each decided from live reads', async () => {
    const run = toolsFor({ pods: JOINING });
    expect(await changeMembers(run.tools, three, actionFor(three))).toEqual({ writes: 3 });
    expect(run.calls.map(({ verb, key }) => `${verb} ${key.name}`)).toEqual(
      Array(3).fill(`patch ${nameOf(0)}`),
    );
    expect(run.lists).toHaveLength(6);
    expect(run.logged).toEqual(Array(3).fill({ karmada: 'team/karmada-demo', change: 'endJoin' }));
    expect(run.observed()).toBe(1);
  });

  it('reads only the etcd Pods of the control plane, and reduces the list of all PVCs of its namespace', async () => {
    const run = toolsFor();
    await changeMembers(run.tools, three, actionFor(three));
    expect(run.lists).toEqual([
      {
        kind: 'Pod',
        namespace: 'team',
        labelSelector: 'app.kubernetes.io/name=etcd,app.kubernetes.io/instance=karmada-demo',
      },
      { kind: 'PersistentVolumeClaim', namespace: 'team', transform: expect.any(Function) },
    ]);
  });

  it.each<[string, Live, Snapshot, number | undefined]>([
    [
      'the live members need no change',
      {},
      { ...three, host: { ...three.host, pods: JOINING } },
      undefined,
    ],
    ['the StatefulSet was deleted', { pods: JOINING, statefulSet: undefined }, three, undefined],
    [
      'the StatefulSet was recreated',
      {
        pods: JOINING,
        statefulSet: { ...setIn(three), metadata: { ...setIn(three).metadata, uid: 'other' } },
      },
      three,
      undefined,
    ],
    ['the member responses have expired', { pods: JOINING, takesMs: 5_000 }, three, undefined],
    ['no member responds', { pods: JOINING, results: [] }, three, undefined],
    [
      'the members belong to different clusters',
      {
        pods: JOINING,
        results: [...answersOf([0, 1]), answerOf(nameOf(2), [nameOf(2)], { cluster: 'b' })],
      },
      three,
      undefined,
    ],
    ['a number of Pods was planned that is not needed', {}, three, 4],
    ['another number of Pods was planned', { snapshot: five }, five, 5],
    ['a number of Pods is needed that was not planned', { snapshot: five }, five, undefined],
    [
      'the Pod to change was replaced',
      {
        pods: JOINING,
        failure: () => new ApiError({ request: 'r', code: 409, reason: 'R', message: 'm' }),
      },
      three,
      undefined,
    ],
  ])('changes nothing when %s', async (_, live, snapshot, replicas) => {
    const run = toolsFor(live);
    expect(await changeMembers(run.tools, snapshot, actionFor(snapshot, replicas))).toEqual({});
    expect(run.calls.length).toBe(live.failure === undefined ? 0 : 1);
    expect([run.applied, run.logged]).toEqual([[], []]);
    expect(run.observed()).toBe(1);
  });

  it('changes members while the responses are valid', async () => {
    const run = toolsFor({ pods: JOINING, takesMs: 4_999 });
    expect(await changeMembers(run.tools, three, actionFor(three))).toEqual({ writes: 3 });
  });

  it('changes nothing without a client certificate for etcd', async () => {
    const run = toolsFor({ pods: JOINING });
    const tools = { ...run.tools, ask: undefined };
    expect(await changeMembers(tools, three, actionFor(three))).toEqual({});
    expect(run.calls).toEqual([]);
  });

  it.each<[string, readonly number[], readonly string[]]>([
    ['sends a change of etcd to the leader only', [0, 1, 2], [nameOf(0)]],
    ['sends nothing when the leader has no address', [1, 2], []],
  ])('%s', async (_, addresses, expected) => {
    const pods = [...five.host.pods, podAt(3)];
    const run = toolsFor({
      snapshot: five,
      statefulSet: setIn(snapshotWith({ members: 4 })),
      pods,
    });
    const dialed: string[] = [];
    const targetOf = (pod: string): EtcdTarget => ({
      dial: async () => {
        dialed.push(pod);
        throw new Error('refused');
      },
    });
    const targets = new Map(addresses.map((n) => [nameOf(n), targetOf(nameOf(n))]));
    const tools = { ...run.tools, targets: () => targets };
    expect(await changeMembers(tools, five, actionFor(five))).toEqual({});
    expect([dialed, run.calls, run.observed()]).toEqual([expected, [], 1]);
  });

  it('writes the StatefulSet with the planned number of Pods', async () => {
    const run = toolsFor({ snapshot: five });
    const done = await changeMembers(run.tools, five, actionFor(five, 4));
    expect(done).toMatchObject({ writes: 3, live: ['key', { kind: 'StatefulSet' }] });
    expect(new Set(run.applied)).toEqual(new Set(['karmada-demo-etcd']));
    expect(run.logged[0]).toMatchObject({ change: 'scale' });
  });

  it('queries the members again when a write fails', async () => {
    const error = new ApiError({ request: 'r', code: 500, reason: 'R', message: 'm' });
    const run = toolsFor({ pods: JOINING, failure: () => error });
    await expect(changeMembers(run.tools, three, actionFor(three))).rejects.toBe(error);
    expect(run.observed()).toBe(1);
  });
});
