/** Upgrades a control plane in a stub cluster so that one component fails, and reports what the operator did. */
import type { KarmadaStatus } from '../../../src/api/karmada.ts';
import { COMPONENT_NAME } from '../../../src/api/naming.ts';
import { compareReadiness } from '../../harness/readiness.ts';
import { failingUpgrade, revertOf, rollbackName } from '../../harness/rollback-case.ts';
import type { StepFailure } from '../../harness/step-failures.ts';
import { RollbackScene, type RollbackSetting } from './rollback-scene.ts';
import { generationsIn, templatesIn, WorkloadChanges } from './workload-changes.ts';

interface States<T> {
  readonly before: T;
  readonly after: T;
}

/** The upgrade and its return. */
export interface Returned {
  readonly status: KarmadaStatus;
  /** Time from the deadline of the step until the return was complete, in milliseconds. */
  readonly lateMs: number;
  readonly changes: Pick<WorkloadChanges, 'there' | 'back' | 'outages'>;
  readonly templates: States<unknown>;
  readonly etcdPod: States<string | undefined>;
  /** Number of objects of the control plane that were lost. */
  readonly lost: number;
  /** Times at which the control plane was Ready during a rollout. */
  readonly lies: readonly string[];
  /** The record of the failed change, and the hash of the last ready spec in it. */
  readonly record: { readonly hash?: string; readonly failed?: string };
  readonly readyHash: string | undefined;
}

/** After a restart of the operator without the status, and after the change was taken back or corrected. */
export interface Afterwards {
  readonly status: KarmadaStatus;
  readonly generations: States<unknown>;
}

export interface RollbackOutcome {
  readonly returned: Returned;
  readonly restarted: Afterwards;
  readonly reverted: Afterwards;
}

const { namespace, deadlineMs } = RollbackScene;

/** Runs `use` in a scene. @throws Error with the log of the operator */
async function inScene<T>(
  setting: RollbackSetting,
  use: (scene: RollbackScene) => Promise<T>,
): Promise<T> {
  const scene = await RollbackScene.start(setting);
  try {
    return await use(scene);
  } catch (error) {
    throw new Error(`${String(error)}\n${scene.tail}`, { cause: error });
  } finally {
    await scene.stop();
  }
}

async function afterwards(
  { cluster: { api } }: RollbackScene,
  change: () => Promise<KarmadaStatus>,
): Promise<Afterwards> {
  const before = generationsIn(api.store, namespace);
  const status = await change();
  return { status, generations: { before, after: generationsIn(api.store, namespace) } };
}

async function failAndReturn(scene: RollbackScene, failure: StepFailure): Promise<Returned> {
  const { cluster } = scene;
  const { store } = cluster.api;
  const templates = templatesIn(store, namespace);
  const [etcdPod, { hash: readyHash }] = [await scene.etcdPod(), await scene.record()];
  const changes = new WorkloadChanges(store, namespace);
  const readiness = compareReadiness(cluster.client, { name: rollbackName, namespace });
  try {
    await scene.write();
    await scene.patch(failingUpgrade(failure));
    const startedAt = await scene.untilStep(COMPONENT_NAME[failure[0]]);
    await scene.write();
    const status = await scene.untilPhase('RolledBack');
    const lateMs = Date.now() - startedAt - deadlineMs;
    await scene.untilWarns('UpgradeRolledBack');
    changes.end();
    return {
      ...{ status, lateMs, changes, readyHash },
      templates: { before: templates, after: templatesIn(store, namespace) },
      etcdPod: { before: etcdPod, after: await scene.etcdPod() },
      lost: await scene.lost(),
      lies: (await readiness.end()).lies,
      record: await scene.record(),
    };
  } finally {
    changes.end();
    await readiness.end();
  }
}

/** Fails an upgrade, restarts the operator without the status, and takes the upgrade back. */
export const failUpgrade = (
  failure: StepFailure,
  setting: RollbackSetting,
): Promise<RollbackOutcome> =>
  inScene(setting, async (scene) => ({
    returned: await failAndReturn(scene, failure),
    restarted: await afterwards(scene, async () => {
      await scene.restartWithoutStatus();
      return scene.untilPhase('RolledBack');
    }),
    reverted: await afterwards(scene, async () => {
      await scene.patch(revertOf(failure));
      return scene.untilRecorded();
    }),
  }));

/** Fails an upgrade, and corrects it after its return. @returns the status at the end */
export const correctUpgrade = (
  failure: StepFailure,
  setting: RollbackSetting,
): Promise<KarmadaStatus> =>
  inScene(setting, async (scene) => {
    await scene.patch(failingUpgrade(failure));
    await scene.untilPhase('RolledBack');
    const [key, , settings] = failure;
    const correct = Object.fromEntries(Object.keys(settings).map((field) => [field, null]));
    await scene.patch({ components: { [key]: correct } });
    return scene.untilRecorded();
  });

/** Fails an upgrade, and takes it back while it returns. @returns the status at the end, and lost objects */
export const revertDuringReturn = (
  failure: StepFailure,
  setting: RollbackSetting,
): Promise<{ readonly status: KarmadaStatus; readonly lost: number }> =>
  inScene(setting, async (scene) => {
    await scene.write();
    await scene.patch(failingUpgrade(failure));
    await scene.untilPhase('RollingBack');
    await scene.patch(revertOf(failure));
    const status = await scene.untilRecorded();
    return { status, lost: await scene.lost() };
  });
