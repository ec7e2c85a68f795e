import { describe, expect, it } from '@jest/globals';
import { ofKind } from '../../actions/action.ts';
import type { KarmadaStatus } from '../../api/karmada.ts';
import type { Step } from '../../components/component.ts';
import { UPGRADE_STAGES } from '../../components/registry.ts';
import { defaultSpec } from '../../api/defaults/defaults.ts';
import { karmadaOf, snapshotOf, VIEW, wishOf } from '../../instance/__fixtures__/instance.ts';
import type { DesiredObjects } from '../../instance/desired-objects.ts';
import { PAUSE_REPAIR, pauseConditions } from '../../instance/pause.ts';
import { planInstance } from '../components/plan.ts';
import type { BlockedChange } from '../../instance/blocked-change.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { stepStates } from '../components/steps.ts';
import { upgradeOf } from './upgrade-status.ts';

const HOST = { defaultStorageClass: false };
const CLAIM = {
  volumeClaim: {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
};

/** All components in one Karmada release; the CRDs are the same in both releases. */
const specIn = (version: string, etcd: string) => ({
  version,
  components: {
    etcd: { local: { imageTag: etcd, volumeData: CLAIM } },
    karmadaDescheduler: {},
    karmadaSearch: {},
  },
});
const OLD = specIn('v1.16.0', '3.5.35-0');
const NEW = specIn('v1.17.1', '3.6.6-0');
const ALL: readonly Step[] = [...wishOf(OLD).steps];

/** A snapshot with these steps in the new release and all others in the old one. */
function halfway(taken: readonly Step[]): Snapshot {
  const of = (desiredState: DesiredObjects, steps: readonly Step[]): Snapshot =>
    snapshotOf(desiredState, steps);
  const before = of(
    wishOf(OLD),
    ALL.filter((step) => !taken.includes(step)),
  );
  const after = of(wishOf(NEW), taken);
  return {
    ...before,
    karmada: karmadaOf(NEW),
    spec: defaultSpec(NEW, HOST),
    host: { ...before.host, objects: [...before.host.objects, ...after.host.objects] },
    controlPlane: {
      ...before.controlPlane,
      objects: [...before.controlPlane.objects, ...after.controlPlane.objects],
    },
  };
}

/** Steps whose Pods the plan would replace now. */
function changing(
  snapshot: Snapshot,
  blockedChanges: readonly BlockedChange[] = [],
): readonly string[] {
  const desiredState = wishOf(NEW);
  const input = {
    snapshot,
    desired: desiredState,
    states: stepStates(desiredState, snapshot),
    blockedChanges,
  };
  const written = new Set(
    ofKind(planInstance(input, VIEW).actions, 'apply').map(({ target }) => target),
  );
  const present = new Map(snapshot.host.objects.map((object) => [object.metadata.name, object]));
  return desiredState.objects
    .filter((target) => written.has(target) && /Deployment|StatefulSet/.test(target.object.kind))
    .filter(({ object, hash }) => {
      const found = present.get(object.metadata.name)?.metadata.annotations;
      return !Object.values(found ?? {}).includes(hash);
    })
    .map(({ step }) => step)
    .sort();
}

const PODS = UPGRADE_STAGES.map((stage) => stage.filter((step) => isPods(step)).sort());
function isPods(step: Step): boolean {
  return wishOf(NEW).objects.some(
    (target) => target.step === step && /Deployment|StatefulSet/.test(target.object.kind),
  );
}

it.each(
  PODS.map((steps, stage) => [stage, steps] as const).filter(([, steps]) => steps.length > 0),
)(
  'planInstance starts upgrade stage %i when the earlier stages are complete: %j',
  (stage, steps) => {
    const done = UPGRADE_STAGES.slice(0, stage).flat();
    const rest = ALL.filter((step) => !UPGRADE_STAGES.flat().includes(step));
    expect(changing(halfway([...done, ...rest]))).toEqual(steps);
  },
);

it('planInstance continues with later stages when a change of etcd is blocked', () => {
  const blockedChange: BlockedChange = {
    step: 'etcd',
    reason: 'EtcdMembersBlocked',
    message: 'kept',
  };
  expect(changing(halfway([]), [blockedChange])).toEqual(['etcd', 'karmada-apiserver']);
});

it('planInstance recreates a deleted Deployment during an upgrade', () => {
  const desiredState = wishOf(NEW);
  const snapshot = halfway([]);
  const objects = snapshot.host.objects.filter(
    ({ kind, metadata }) => kind !== 'Deployment' || !metadata.name.endsWith('-scheduler'),
  );
  const without = { ...snapshot, host: { ...snapshot.host, objects } };
  const states = stepStates(desiredState, without);
  const plan = planInstance(
    { snapshot: without, desired: desiredState, states, blockedChanges: [] },
    VIEW,
  );
  expect(ofKind(plan.actions, 'apply').map(({ target }) => target.step)).toContain(
    'karmada-scheduler',
  );
});

const FROM = { karmada: 'v1.16.0', kubernetes: 'v1.34.3', etcd: '3.5.35' };
const TO = { karmada: 'v1.17.1', kubernetes: 'v1.35.4', etcd: '3.6.6' };
const READY: KarmadaStatus = { versions: FROM, secretRef: { name: 'admin', namespace: 'team' } };

function upgradeAt(taken: readonly Step[], before: KarmadaStatus, ready = false) {
  const snapshot = halfway(taken);
  const states = stepStates(wishOf(NEW), snapshot);
  const rollout = { turn: 'go' } as const;
  const facts = {
    rollout,
    waiting: new Map(),
    unfinished: [],
    problem: undefined,
    blocked: undefined,
  };
  return upgradeOf({ snapshot, states, ...facts }, before, ready);
}

it('upgradeOf returns source, target and step until the control plane is ready', () => {
  expect(upgradeAt([], READY)).toEqual({ from: FROM, to: TO, step: 'etcd' });
  const begun: KarmadaStatus = { ...READY, versions: TO, upgrade: { from: FROM, to: TO } };
  expect(upgradeAt(['etcd', 'karmada-apiserver'], begun)).toEqual({
    from: FROM,
    to: TO,
    step: 'karmada-aggregated-apiserver',
  });
  expect(upgradeAt(ALL, begun)).toEqual({ from: FROM, to: TO });
  expect(upgradeAt(ALL, begun, true)).toBeUndefined();
});

describe('upgradeOf with releases that follow', () => {
  const nextReleases = ['v1.18.2'];
  const snapshot = { ...halfway(ALL), nextReleases };
  const states = stepStates(wishOf(NEW), snapshot);
  const facts = { rollout: { turn: 'go' }, waiting: new Map(), blocked: undefined } as const;
  const begun: KarmadaStatus = {
    ...READY,
    versions: TO,
    upgrade: { from: FROM, to: TO, next: nextReleases },
  };
  const follows = { step: 'next-release', message: 'v1.18.2 follows' } as const;

  it.each([
    ['a step is incomplete', [{ step: 'karmada-webhook', message: 'a' } as const], undefined],
    ['there is a problem', [], { reason: 'Failed', message: 'b' } as const],
  ])('keeps the upgrade while %s', (_, unfinished, problem) => {
    const all = { ...facts, unfinished: [...unfinished, follows], problem };
    expect(upgradeOf({ snapshot, states, ...all }, begun, false)).toEqual(begun.upgrade);
  });

  it('returns the next upgrade when the present one is complete', () => {
    const all = { ...facts, unfinished: [follows], problem: undefined };
    const karmada = 'v1.18.2';
    const { etcd, ...from } = TO;
    expect(upgradeOf({ snapshot, states, ...all }, begun, false)).toMatchObject({
      from,
      to: { ...from, karmada },
    });
    expect(etcd).toBeDefined();
  });
});

it('upgradeOf returns undefined for an installation and for a change without a new version', () => {
  expect(upgradeAt([], { versions: FROM })).toBeUndefined();
  expect(upgradeAt([], { ...READY, versions: TO })).toBeUndefined();
});

it('planInstance leaves a paused object alone, delays the upgrade and reports the object', () => {
  const desiredState = wishOf(NEW);
  const snapshot = halfway(['etcd']);
  const pausedAt = (suffix: string): Snapshot => {
    const objects = snapshot.host.objects.map((object) =>
      object.metadata.name.endsWith(suffix) && object.kind === 'Deployment'
        ? {
            ...object,
            metadata: {
              ...object.metadata,
              annotations: { ...object.metadata.annotations, [PAUSE_REPAIR]: 'true' },
            },
          }
        : object,
    );
    return { ...snapshot, host: { ...snapshot.host, objects } };
  };
  const planOf = (found: Snapshot) =>
    planInstance(
      {
        snapshot: found,
        desired: desiredState,
        states: stepStates(desiredState, found),
        blockedChanges: [],
      },
      VIEW,
    );
  expect(changing(pausedAt('demo-apiserver'))).toEqual([]);
  expect(planOf(pausedAt('demo-apiserver')).blockedChanges).toMatchObject([
    { step: 'karmada-apiserver', reason: 'RepairPaused' },
  ]);
  expect(changing(pausedAt('-webhook'))).toEqual(['karmada-apiserver']);
  const [finding] = pauseConditions(pausedAt('-webhook'));
  expect(finding).toMatchObject({ type: 'RepairPaused', status: 'True' });
  expect(finding?.message).toContain('Deployment team/karmada-demo-webhook');
  expect(pauseConditions(snapshot)).toEqual([]);
});
