/**
 * The operator process is killed while etcd members change and while a backup replaces the data, with real etcd, etcdutl and
 * API server processes. All cases share a control plane.
 *
 * @size enormous
 * @sample medium
 * @tier drawn
 * @job stubs
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { drawn } from '../../harness/sample.ts';
import { killPoint, killsAt } from '../../stubs/kills/kill-points.ts';
import { killAtEachPoint, type KilledRun } from '../../stubs/kills/matrix.ts';
import { buildOperator, type OperatorBuild } from '../../stubs/operator/build.ts';
import type { Kills } from '../../stubs/operator/operator-process.ts';
import { DataScene, NEVER } from '../../stubs/processes/data-scene.ts';
import { RestoreScene } from '../../stubs/processes/restore-scene.ts';

/** Lower bound of the writes of a change. */
const FEWEST_WRITES = 20;

let build: OperatorBuild;
let scene: DataScene;
let restores: RestoreScene | undefined;
let runs = 0;

interface Changed extends KilledRun {
  /** Writes in order, see `killPoint`. */
  readonly points: readonly string[];
}

/** A change with an operator that is killed. @param run name of the run */
type Change = (run: string, kills: Kills) => Promise<Changed>;

async function changeMembers(run: string, kills: Kills): Promise<Changed> {
  const operator = await scene.withOperator(kills, () =>
    scene.during(run, async () => {
      await scene.change(3);
      await scene.change(1);
    }),
  );
  await scene.verify();
  const { writes, killed } = operator;
  return { points: writes.map((write) => killPoint(write, scene.namespace)), killed };
}

async function restore(run: string, kills: Kills): Promise<Changed> {
  const present = (restores ??= await RestoreScene.start(scene));
  const operator = await scene.withOperator(kills, () => present.restore(run));
  expect(await present.deleteKept()).toBeGreaterThan(0);
  const { writes, killed } = operator;
  return { points: writes.map((write) => killPoint(write, scene.namespace, run)), killed };
}

/** Makes the change undisturbed, then with an operator that is killed after each of its writes, or one of them. */
async function afterEachWrite(change: Change): Promise<void> {
  const { points } = await change('never', NEVER);
  process.stderr.write(`${points.join('\n')}\n`);
  expect(points.length).toBeGreaterThan(FEWEST_WRITES);
  const { missing } = await killAtEachPoint(
    points,
    (at) => {
      const run = `run-${String((runs += 1))}`;
      return change(run, killsAt(at, scene.namespace, run));
    },
    1,
  );
  expect(missing).toEqual([]);
}

const CASES: readonly (readonly [string, () => Promise<void>])[] = [
  [
    'loses no acknowledged key when etcd grows to three members and shrinks to one',
    async () => {
      // The PVCs of former members are replaced.
      await changeMembers('first', NEVER);
      await afterEachWrite(changeMembers);
    },
  ],
  [
    'restores the saved keys and no others',
    async () => {
      // The PVCs of former members are marked as kept.
      await restore('first', NEVER);
      await afterEachWrite(restore);
    },
  ],
  [
    'restores the saved keys when it is killed after each of its writes',
    async () => {
      const { killed } = await restore('each-write', { afterWrite: 1, eachProcess: true });
      expect(killed).toBeGreaterThan(FEWEST_WRITES);
    },
  ],
];

const describeAsRoot = process.getuid?.() === 0 ? describe : describe.skip;

describeAsRoot('an operator that is killed where data is at stake', () => {
  beforeAll(async () => {
    build = await buildOperator();
    scene = await DataScene.start(build);
  }, 1_800_000);

  afterAll(async () => {
    await scene.end();
    await build.remove();
  }, 120_000);

  it.each(drawn(CASES, 1, ([title]) => title))('%s', (_, run) => run(), 3_600_000);
});
