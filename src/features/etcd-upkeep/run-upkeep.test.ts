import { describe, expect, it } from '@jest/globals';
import { anyClient } from '../../kubernetes/client/any-client.fixture.ts';
import { EFFECTIVE_HASH } from '../../components/etcd/effective-hash.ts';
import { answerOf, AT } from '../../etcd/__fixtures__/answers.ts';
import type { EtcdMemberStatus, EtcdResult } from '../../etcd/member-status.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import {
  karmadaOf,
  live,
  pod,
  snapshotOf,
  statefulSetOf,
  wishOf,
} from '../../instance/__fixtures__/instance.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import { hashIn } from '../../etcd-cluster/pods/membership.ts';
import { startUpkeep, type UpkeepTools } from './run-upkeep.ts';

const POD = 'karmada-demo-etcd-0';
const MIB = 1_048_576;
const FULL: Partial<EtcdMemberStatus> = {
  dbSize: String(2_000 * MIB),
  dbSizeInUse: String(100 * MIB),
  dbSizeQuota: String(2_048 * MIB),
};

const SET = live(statefulSetOf({}));
const MEMBER: KubernetesObject = {
  ...pod('etcd', { name: POD }),
  metadata: {
    ...pod('etcd', { name: POD }).metadata,
    annotations: { [EFFECTIVE_HASH]: hashIn(SET) ?? '' },
  },
};

interface Given {
  readonly statefulSet?: KubernetesObject | undefined;
  readonly result?: EtcdResult;
  /** Duration of a query of the members, in milliseconds. */
  readonly takesMs?: number;
}

interface Run {
  readonly instance: Pick<InstanceCache, 'upkeep'>;
  readonly dialed: () => number;
  readonly done: () => number;
  readonly start: () => Promise<void> | undefined;
}

/** Tools whose member accepts no connection. */
function runWith(given: Given): Run {
  const { result = answerOf(POD, [POD], FULL), takesMs = 0 } = given;
  const statefulSet = 'statefulSet' in given ? given.statefulSet : SET;
  const instance: Pick<InstanceCache, 'upkeep'> = {};
  const count = { dialed: 0, done: 0, now: 0 };
  const nothing = (): void => undefined;
  const dial = async (): Promise<never> => {
    count.dialed += 1;
    throw new Error('refused');
  };
  const tools: UpkeepTools = {
    client: anyClient({
      find: async () => statefulSet,
      list: async () => ({ resourceVersion: '1', items: [MEMBER] }),
    }),
    instance,
    ask: async () => {
      count.now += takesMs;
      return [result];
    },
    targets: () => new Map([[POD, { dial }]]),
    clock: { wall: () => AT, monotonic: () => count.now },
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    events: { record: nothing },
    onDone: () => (count.done += 1),
  };
  const karmada = karmadaOf();
  const snapshot = snapshotOf(wishOf(), [], { karmada });
  return {
    instance,
    dialed: () => count.dialed,
    done: () => count.done,
    start: () => startUpkeep(tools, snapshot, { kind: 'maintainEtcd', statefulSet: SET }),
  };
}

describe('startUpkeep', () => {
  it('remembers a failed defragmentation, and rests', async () => {
    const run = runWith({});
    await run.start();
    expect([run.dialed(), run.done()]).toEqual([1, 1]);
    expect(run.instance.upkeep).toEqual({
      defragmentedAt: new Map([['0a', AT]]),
      restUntil: AT + 30_000,
    });
  });

  it('does not remember a failed compaction', async () => {
    const alarms = [{ memberId: '0a', alarm: 'NOSPACE' }] as const;
    const data = { ...FULL, dbSizeInUse: FULL.dbSize ?? '' };
    const run = runWith({ result: answerOf(POD, [POD], { ...data, alarms }) });
    await run.start();
    expect(run.dialed()).toBe(1);
    expect(run.instance.upkeep).toEqual({ defragmentedAt: new Map(), restUntil: AT + 30_000 });
  });

  it('runs once at a time', async () => {
    const run = runWith({});
    const first = run.start();
    expect(run.instance.upkeep?.running).toBeDefined();
    expect(run.start()).toBeUndefined();
    await first;
    expect(run.instance.upkeep?.running).toBeUndefined();
    expect(run.dialed()).toBe(1);
  });

  it.each<[string, Given]>([
    ['the StatefulSet does not exist', { statefulSet: undefined }],
    [
      'the StatefulSet is another one',
      { statefulSet: { ...SET, metadata: { ...SET.metadata, uid: 'other' } } },
    ],
    [
      'the StatefulSet has changed',
      { statefulSet: { ...SET, metadata: { ...SET.metadata, generation: 2 } } },
    ],
    ['the member has little free space by now', { result: answerOf(POD, [POD]) }],
    ['the proof is older than five seconds', { takesMs: 5_001 }],
  ])('makes no call when %s', async (_, given) => {
    const run = runWith(given);
    await run.start();
    expect([run.dialed(), run.done()]).toEqual([0, 1]);
    expect(run.instance.upkeep).toEqual({ defragmentedAt: new Map(), restUntil: AT + 5_000 });
  });

  it('requests no reconcile after the control plane was forgotten', async () => {
    const run = runWith({});
    const end = run.start();
    run.instance.upkeep?.running?.abort();
    await end;
    expect([run.dialed(), run.done()]).toEqual([0, 0]);
  });
});
