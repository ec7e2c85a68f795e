/**
 * The operator process is killed after each write with which an etcd of the Go operator becomes one of this operator, with
 * real etcd members and a client that writes all the time. Until the members have https, the Go operator then takes the
 * etcd back, and another consent ends the steps. All cases share a control plane; each run has an etcd of its own.
 *
 * @size enormous
 * @sample medium
 * @job adoption
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ADOPT_ETCD_ANNOTATION } from '../../../src/api/validation/adopt-etcd.ts';
import { instanceName } from '../../../src/api/naming.ts';
import { peerSchemeOf } from '../../../src/components/etcd/peer-flags.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { drawn } from '../../harness/sample.ts';
import { killPoint, killsAt, type KillPoint } from '../../stubs/kills/kill-points.ts';
import { killAtEachPoint, type KilledRun } from '../../stubs/kills/matrix.ts';
import { buildOperator, type OperatorBuild } from '../../stubs/operator/build.ts';
import type { Kills } from '../../stubs/operator/operator-process.ts';
import { DataScene, NEVER } from '../../stubs/processes/data-scene.ts';
import { GoEtcdScene } from '../../stubs/processes/go-etcd-scene.ts';

let build: OperatorBuild;
let scene: DataScene;
let etcd: GoEtcdScene;
let runs = 0;

const UPDATE = 'POST etcd /etcdserverpb.Cluster/MemberUpdate';

interface Adopted extends KilledRun {
  /** Writes in order, see `killPoint`. */
  readonly points: readonly string[];
}

const nextRun = (): string => `run-${String((runs += 1))}`;

/** Adopts the etcd that runs, and reads all keys back. */
async function adopt(run: string, members: number, kills: Kills): Promise<Adopted> {
  const { writes, killed } = await scene.withOperator(kills, () =>
    scene.during(run, async () => {
      await etcd.consent();
      await etcd.untilNative(members);
    }),
  );
  await scene.verify();
  return { points: writes.map((write) => killPoint(write, scene.namespace)), killed };
}

async function adoptNew(members: number, kills: Kills): Promise<Adopted> {
  const run = nextRun();
  await etcd.create(run, members);
  return adopt(run, members, kills);
}

/** Whether the Go operator can take the etcd back: several members only before the restart with https. */
async function isReturnable(members: number): Promise<boolean> {
  if (members === 1) return true;
  const { namespace, name, cluster } = scene;
  const key = { namespace, name: instanceName(name, 'etcd') };
  return peerSchemeOf(await cluster.client.get(resources.StatefulSet, key)) === 'http';
}

/**
 * Ends the operator after a write, and lets the Go operator take the etcd back. Another consent ends the steps.
 * @returns no kill if the write came too late: the number of writes of the status depends on the timing
 */
async function takeBack(members: number, at: KillPoint): Promise<KilledRun> {
  const run = nextRun();
  await etcd.create(run, members);
  const kills = { ...killsAt(at, scene.namespace), isLast: true };
  const { killed } = await scene.withOperator(kills, async (operator) => {
    await etcd.consent();
    await poll(
      'the operator is killed',
      async () => operator.killed > 0 || (await etcd.isNative(members)) || undefined,
      { deadlineMs: 300_000, intervalMs: 20 },
    );
  });
  if (!(await isReturnable(members))) return { killed: 0 };
  await etcd.write(members);
  await scene.verify();
  await etcd.writeKeys(`${run}-back`);
  await etcd.annotate({ [ADOPT_ETCD_ANNOTATION]: null });
  await adopt(`${run}-again`, members, NEVER);
  return { killed };
}

/** Writes after which the Go operator can take the etcd back: of several members, until all of them are listed with https too. */
function returnable(points: readonly string[], members: number): readonly string[] {
  if (members === 1) return points;
  const updates = points.flatMap((point, index) => (point === UPDATE ? [index] : []));
  return points.slice(0, (updates[members - 1] ?? -1) + 1);
}

async function eachWrite(
  members: number,
  chosen: (points: readonly string[]) => readonly string[],
  run: (at: KillPoint) => Promise<KilledRun>,
): Promise<void> {
  const { points } = await adoptNew(members, NEVER);
  process.stderr.write(`${points.join('\n')}\n`);
  const { missing } = await killAtEachPoint(chosen(points), run, 1);
  expect(missing).toEqual([]);
}

const casesOf = (members: number): readonly (readonly [string, () => Promise<void>])[] => [
  [
    `keeps all keys of ${String(members)} members when it is killed after any of its writes`,
    () =>
      eachWrite(
        members,
        (points) => points,
        (at) => adoptNew(members, killsAt(at, scene.namespace)),
      ),
  ],
  [
    `keeps all keys of ${String(members)} members when it is killed after each of its writes`,
    async () => {
      const { killed } = await adoptNew(members, { afterWrite: 1, eachProcess: true });
      expect(killed).toBeGreaterThan(5 * members);
    },
  ],
  [
    `keeps all keys of ${String(members)} members that the Go operator takes back after any write before the last return`,
    () =>
      eachWrite(
        members,
        (points) => returnable(points, members),
        (at) => takeBack(members, at),
      ),
  ],
];

const CASES = [...casesOf(1), ...casesOf(3)];

const describeAsRoot = process.getuid?.() === 0 ? describe : describe.skip;

describeAsRoot('an operator that adopts an etcd of the Go operator', () => {
  beforeAll(async () => {
    build = await buildOperator();
    scene = await DataScene.start(build);
    etcd = new GoEtcdScene(scene);
  }, 1_800_000);

  afterAll(async () => {
    await scene.end();
    await build.remove();
  }, 120_000);

  it.each(drawn(CASES, 1, ([title]) => title))('%s', (_, run) => run(), 3_600_000);
});
