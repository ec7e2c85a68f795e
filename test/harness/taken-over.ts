import { expect } from '@jest/globals';
import { instanceName } from '../../src/api/naming.ts';
import { IN_MEMORY, ON_CLAIMS, type Pods, type Scene } from './control-plane-scene.ts';
import type { MemberAnswer } from './etcd-members.ts';

/** A control plane installed by an operator without etcd records, and the expected result after an operator upgrade. */
export interface TakenOver {
  readonly title: string;
  /** Name of the Karmada. */
  readonly name: string;
  readonly isRemote?: true;
  /** Whether an installation or a failure is in progress when the operator is replaced. */
  readonly isUnsteady?: true;
  /** Whether the earlier operator ends before its API server serves: the newer one applies its own template then. */
  readonly isPartial?: true;
  /** Creates the initial state. @returns status of the etcd members */
  readonly begin: (scene: Scene) => Promise<readonly MemberAnswer[]>;
  /** Waits until the newer operator has reconciled, and verifies the result. */
  readonly settle: (scene: Scene, before: readonly MemberAnswer[]) => Promise<void>;
  /** Expected writes of the newer operator, each once; undefined if it also installs other objects. */
  readonly writes?: readonly string[];
  /** Further writes that depend on how far the installation is when the newer operator starts. */
  readonly mayWrite?: readonly string[];
  /** Components that start again when the newer operator follows the earlier one once more. */
  readonly restarted?: readonly string[];
  /** Waits until the earlier operator, installed again, has reconciled. */
  readonly back: (scene: Scene, before: Pods) => Promise<void>;
}

const one = (storage: object): object => ({ replicas: 1, volumeData: storage });

async function install(scene: Scene, local: object): Promise<readonly MemberAnswer[]> {
  await scene.create(local);
  await scene.untilReady();
  return scene.members();
}

/** Verifies that the members kept their data, and that the record contains the cluster ID that they report. */
async function expectTakenOver(scene: Scene, before: readonly MemberAnswer[]): Promise<void> {
  const [first] = before;
  const record = await scene.untilRecorded(first?.clusterID);
  await expectSameData(scene, before);
  expect(record).toMatchObject({ members: before.length });
  expect(record.token).toBe(await scene.token());
}

async function expectSameData(scene: Scene, before: readonly MemberAnswer[]): Promise<void> {
  const keys = Math.min(...before.map(({ count }) => count));
  const answers = await scene.untilMembers('all members respond', (found) => {
    return found.length === before.length;
  });
  expect(answers.map(({ clusterID }) => clusterID)).toEqual(
    before.map(({ clusterID }) => clusterID),
  );
  // The number of keys varies with leases and Events.
  for (const { count } of answers) expect(count).toBeGreaterThan(keys * 0.9);
}

async function expectStamps(scene: Scene, [first]: readonly MemberAnswer[]): Promise<void> {
  const stamps = await scene.stamps();
  expect(stamps).toHaveLength(1);
  const { record, token } = { record: await scene.record(), token: await scene.token() };
  const { clusterID } = first ?? {};
  expect(stamps[0]).toEqual({ clusterID, token, ordinal: 0, members: 1, ca: record?.ca });
}

/** The earlier operator applies its own template of etcd, and the data survives the restart of the Pod. */
async function restarted(scene: Scene, before: Pods): Promise<void> {
  await scene.untilEtcdRestarted(before);
  await scene.untilReady();
}

async function untouched(scene: Scene, before: Pods): Promise<void> {
  const etcdOf = (pods: Pods): object =>
    Object.entries(pods).filter(([pod]) => /-etcd-\d+$/.test(pod));
  expect(etcdOf(await scene.pods())).toEqual(etcdOf(before));
}

const etcd = (name: string): string => instanceName(name, 'etcd');

/** The earlier operator has no certificate for the connections to estimators. */
const ISSUED = (name: string): string => `create secrets ${instanceName(name, 'estimator-client')}`;

const NOTED = (name: string): readonly string[] => [
  ISSUED(name),
  `patch secrets ${instanceName(name, 'ca-backup')}`,
  `patch statefulsets.apps ${etcd(name)}`,
];

const STAMPED = (name: string): readonly string[] => [
  `patch persistentvolumeclaims etcd-data-${etcd(name)}-0`,
  ...NOTED(name),
];

/** A control plane whose installation stopped after a given object, because the operator ended. */
function begun(name: string, what: string, kind: string, suffix: string): TakenOver {
  return {
    title: `continues an installation when the earlier operator stopped after creating ${what}`,
    name,
    isUnsteady: true,
    isPartial: true,
    begin: async (scene) => {
      await scene.create(one(ON_CLAIMS));
      await scene.untilThere(kind, suffix);
      return [];
    },
    settle: async (scene) => {
      await scene.untilReady();
      const members = await scene.members();
      expect(members).toHaveLength(1);
      await expectTakenOver(scene, members);
      await expectStamps(scene, members);
    },
    back: restarted,
  };
}

const claim: TakenOver = {
  title: 'records the etcd cluster when etcd stores its data in a PVC',
  name: 'claim',
  begin: (scene) => install(scene, one(ON_CLAIMS)),
  settle: async (scene, before) => {
    await expectTakenOver(scene, before);
    await expectStamps(scene, before);
    await scene.untilReady();
  },
  writes: STAMPED('claim'),
  back: restarted,
};

const memory: TakenOver = {
  title: 'records the etcd cluster when etcd stores its data in an emptyDir',
  name: 'memory',
  begin: (scene) => install(scene, one(IN_MEMORY)),
  settle: async (scene, before) => {
    await expectTakenOver(scene, before);
    await scene.untilReady();
  },
  writes: NOTED('memory'),
  back: async (scene) => {
    const { message } = await scene.until('Ready', { status: 'False', reason: 'Held' });
    expect(message).toContain('data is in the pod (emptyDir)');
  },
};

const remote: TakenOver = {
  title: 'records the etcd cluster when the control plane runs in a remote host cluster',
  name: 'remote',
  isRemote: true,
  begin: (scene) => install(scene, one(ON_CLAIMS)),
  settle: async (scene, before) => {
    await expectTakenOver(scene, before);
    await expectStamps(scene, before);
    await scene.untilReady();
  },
  writes: STAMPED('remote'),
  back: restarted,
};

const suspended: TakenOver = {
  title: 'writes nothing when the control plane is suspended',
  name: 'suspended',
  begin: async (scene) => {
    const members = await install(scene, one(ON_CLAIMS));
    await scene.patch({ suspend: true });
    await scene.until('Suspended', { status: 'True' });
    return members;
  },
  settle: async (scene, before) => {
    await expectSameData(scene, before);
    expect(await scene.record()).toBeUndefined();
    expect(await scene.stamps()).toEqual([undefined]);
  },
  writes: [],
  back: untouched,
};

const split: TakenOver = {
  title: 'reports both etcd clusters and changes no object when etcd members form two clusters',
  name: 'split',
  isUnsteady: true,
  begin: async (scene) => {
    await scene.create(one(ON_CLAIMS));
    await scene.untilMembers('the member responds', (found) => found.length === 1);
    await scene.remove();
    await scene.create({ replicas: 3, volumeData: ON_CLAIMS });
    return scene.untilMembers('the members of two clusters respond', (found) => {
      return found.length === 3 && new Set(found.map(({ clusterID }) => clusterID)).size === 2;
    });
  },
  settle: async (scene, before) => {
    const { message } = await scene.until('EtcdHealthy', { reason: 'SplitBrain' });
    for (const { clusterID } of before) expect(message).toContain(clusterID);
    expect(await scene.record()).toBeUndefined();
    expect(await scene.stamps()).toEqual([undefined, undefined, undefined]);
    const now = await scene.members();
    expect(now.map(({ pod, clusterID }) => [pod, clusterID])).toEqual(
      before.map(({ pod, clusterID }) => [pod, clusterID]),
    );
  },
  writes: [ISSUED('split')],
  // As long as its installation has never been complete, its components may get identities of their own, which the Karmada records.
  mayWrite: ['patch karmadas.operator.karmada.io split'],
  back: untouched,
};

const kept: TakenOver = {
  title: 'starts etcd with the kept data when a PVC of a deleted control plane has no annotation',
  name: 'kept',
  isUnsteady: true,
  begin: async (scene) => {
    const members = await install(scene, one(ON_CLAIMS));
    await scene.remove();
    return members;
  },
  settle: async (scene, before) => {
    await scene.create(one(ON_CLAIMS));
    await scene.untilReady();
    await expectTakenOver(scene, before);
    await expectStamps(scene, before);
  },
  // The earlier operator deletes the Secret for connections to estimators, which it does not know. The next one has another certificate.
  restarted: ['scheduler'],
  // The newer operator created this Karmada with its own default release, which the earlier one does not know.
  back: async (scene, before) => {
    await scene.untilEtcdRestarted(before);
    await scene.until('Progressing', { reason: 'CrdArchiveMissing' });
    // The earlier operator applies its own template of the API server. The new Pod is ready before the old one terminates.
    await scene.untilRolledOut();
  },
};

export const TAKEN_OVER: readonly TakenOver[] = [
  kept,
  split,
  remote,
  claim,
  memory,
  suspended,
  begun('begun', 'the StatefulSet of etcd', 'statefulsets', 'etcd'),
  begun('half', 'the Deployment of the API server', 'deployments', 'apiserver'),
];
