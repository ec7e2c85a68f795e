import { describe, expect, it } from '@jest/globals';
import { APPLIED_HASH } from '../../kubernetes/objects/compare.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { simulatePlan } from '../../cli/simulate-plan.ts';
import { ofKind } from '../../actions/action.ts';
import { planInstance } from '../components/plan.ts';
import { stepStates } from '../components/steps.ts';
import { desiredStateOf } from '../components/desired-state.ts';
import { TEMPLATES } from '../../components/__fixtures__/golden.ts';
import { snapshotOf, VIEW, wishOf } from '../../instance/__fixtures__/instance.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { adoptedEtcdWarnings, adoptedStep, hasGoTemplate } from './adopted-etcd.ts';
import { usesAdminKey } from './admin-key.ts';

const WISH = wishOf();
const READY = snapshotOf(WISH, [...WISH.steps]);

/** The object as the Go operator leaves it: without the hash of an applied intent. */
function unapplied(object: KubernetesObject): KubernetesObject {
  const annotations = { ...object.metadata.annotations };
  delete annotations[APPLIED_HASH];
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** The StatefulSet with http peer URLs. */
function withPlainPeers(object: KubernetesObject): KubernetesObject {
  const text = JSON.stringify(object).replaceAll(
    '--listen-peer-urls=https',
    '--listen-peer-urls=http',
  );
  return unapplied(JSON.parse(text) as KubernetesObject);
}

const GO = {
  ...READY,
  host: {
    ...READY.host,
    objects: READY.host.objects.map((object) =>
      object.kind === 'StatefulSet'
        ? withPlainPeers(object)
        : object.kind === 'Deployment'
          ? unapplied(object)
          : object,
    ),
  },
};

const etcdOf = ({ host }: Pick<Snapshot, 'host'>): KubernetesObject => {
  const found = host.objects.find(({ kind }) => kind === 'StatefulSet');
  if (found === undefined) throw new Error('no etcd');
  return found;
};

describe('an adopted etcd', () => {
  it('is recognized by its peer URLs', () => {
    expect(hasGoTemplate(etcdOf(GO))).toBe(true);
    expect(hasGoTemplate(etcdOf(READY))).toBe(false);
    expect(adoptedEtcdWarnings(GO).map(({ reason }) => reason)).toEqual(['EtcdTemplateKept']);
    expect(adoptedEtcdWarnings(READY)).toEqual([]);
  });

  it('counts as complete, and no action concerns it', () => {
    const { desired, blockedChanges } = desiredStateOf(TEMPLATES, GO, VIEW);
    const states = stepStates(desired, GO);
    expect(states.get('etcd')?.state).toBe('complete');
    const { actions } = planInstance({ snapshot: GO, desired, states, blockedChanges }, VIEW);
    expect(actions.map(({ kind }) => kind).filter((kind) => kind !== 'apply')).toEqual([]);
    const written = ofKind(actions, 'apply').map(({ target }) => target.object.kind);
    expect(written).not.toContain('StatefulSet');
  });

  it('starts the restarts with the API server', () => {
    const { desired, blockedChanges } = desiredStateOf(TEMPLATES, GO, VIEW);
    const states = stepStates(desired, GO);
    const { actions } = planInstance({ snapshot: GO, desired, states, blockedChanges }, VIEW);
    const restarted = ofKind(actions, 'apply')
      .filter(({ target }) => target.object.kind === 'Deployment')
      .map(({ target }) => target.step);
    expect(restarted).toEqual(['karmada-apiserver']);
  });

  it('does not keep a preview from listing all restarts while Services wait for new Pods', () => {
    const objects = GO.host.objects.map((object) =>
      object.kind === 'Service' ? unapplied(object) : object,
    );
    const snapshot = { ...GO, host: { ...GO.host, objects } };
    const { desired, blockedChanges } = desiredStateOf(TEMPLATES, snapshot, VIEW);
    expect(desired.objects.filter(({ untouched }) => untouched).length).toBeGreaterThan(1);
    const { rounds } = simulatePlan({ snapshot, desired, view: VIEW, blockedChanges });
    const restarted = rounds.flat().filter(({ object }) => object.kind === 'Deployment');
    const all = objects.filter(({ kind }) => kind === 'Deployment');
    expect(new Set(restarted.map(({ object }) => object.metadata.name))).toEqual(
      new Set(all.map(({ metadata }) => metadata.name)),
    );
  });

  it('keeps its number of members', () => {
    const { components } = GO.spec;
    const { etcd } = components;
    const wanted = (replicas: number) =>
      adoptedStep(etcdOf(GO), {
        components: {
          ...components,
          etcd: { ...etcd, local: { ...etcd.local, replicas } as never },
        },
      });
    expect(wanted(1)).toEqual({ kind: 'none' });
    expect(wanted(3)).toMatchObject({ kind: 'blocked', reason: 'EtcdMembersBlocked' });
  });
});

describe('usesAdminKey', () => {
  it('is true while a Pod of the Go operator may use the pair karmada', () => {
    expect(usesAdminKey(GO.host.objects)).toBe(true);
    expect(usesAdminKey(READY.host.objects)).toBe(false);
    const others = GO.host.objects.filter(({ metadata }) => metadata.name.endsWith('-scheduler'));
    expect(usesAdminKey(others)).toBe(false);
  });
});
