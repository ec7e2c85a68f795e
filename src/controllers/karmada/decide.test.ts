import { describe, expect, it } from '@jest/globals';
import type { KarmadaStatus } from '../../api/karmada.ts';
import { TEMPLATES } from '../../components/__fixtures__/golden.ts';
import type { Step } from '../../components/component.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { snapshotOf, VIEW, wishOf } from '../../instance/__fixtures__/instance.ts';
import { ofKind } from '../../actions/action.ts';
import { decide, type DecideInput, type Decision } from './decide.ts';
import type { Sibling } from '../../instance/rollout-turn.ts';
import type { Snapshot } from '../../instance/snapshot.ts';

const DESIRED = wishOf();
const INSIDE: readonly Step[] = ['health', 'rbac', 'namespaces', 'crds'];
const INSTALLED: KarmadaStatus = { secretRef: { name: 'admin', namespace: 'team' } };

/** The snapshot with a cluster IP for each Service. */
function withAddresses(snapshot: Snapshot): Snapshot {
  const objects = snapshot.host.objects.map((object): KubernetesObject =>
    object.kind === 'Service'
      ? { ...object, spec: { ...(object['spec'] as object), clusterIP: '10.96.0.7' } }
      : object,
  );
  return { ...snapshot, host: { ...snapshot.host, objects } };
}

interface Given extends Partial<Pick<DecideInput, 'view' | 'reachability' | 'rendered'>> {
  readonly before?: KarmadaStatus;
  readonly siblings?: readonly Sibling[];
}

function decided(snapshot: Snapshot, given: Given = {}): Decision {
  const { before = {}, siblings = [], reachability = new Map(), rendered } = given;
  const view = 'view' in given ? given.view : VIEW;
  const limit = { atOnce: { count: 1 }, failures: { count: 0 } };
  const rollout = { before, isRequested: false, siblings: () => siblings, limit };
  return decide(TEMPLATES, { snapshot, view, rollout, reachability, rendered });
}

const steps = ({ plan }: Decision): readonly Step[] => [
  ...new Set(ofKind(plan.actions, 'apply').map(({ target }) => target.step)),
];

describe('decide', () => {
  it('desires nothing while there are no certificates', () => {
    const found = decided(snapshotOf(DESIRED, []), { view: undefined });
    expect(found).toEqual({
      rollout: { turn: 'go' },
      plan: { actions: [], blockedChanges: [] },
      probes: [],
    });
  });

  it('returns equal decisions for equal input, and changes no input', () => {
    const snapshot = withAddresses(snapshotOf(DESIRED, ['etcd']));
    const copy = structuredClone(snapshot);
    expect(decided(snapshot)).toEqual(decided(snapshot));
    expect(snapshot).toEqual(copy);
  });

  it('reuses the rendered objects while their inputs are the same', () => {
    const snapshot = snapshotOf(DESIRED, ['etcd']);
    const { desiredState } = decided(snapshot);
    const again = decided(snapshot, { rendered: desiredState?.rendered });
    expect(again.desiredState?.rendered).toBe(desiredState?.rendered);
    const other = { ...VIEW, caBundle: 'another bundle' };
    const anew = decided(snapshot, { rendered: desiredState?.rendered, view: other });
    expect(anew.desiredState?.rendered).not.toBe(desiredState?.rendered);
  });

  it('asks for the probe of a Service, and registers it only when it is reachable', () => {
    const done: readonly Step[] = ['etcd', 'karmada-apiserver', 'karmada-aggregated-apiserver'];
    const snapshot = withAddresses(snapshotOf(DESIRED, [...INSIDE, ...done]));
    const first = decided(snapshot);
    expect(first.probes.map(({ step }) => step)).toEqual(['cluster-api-service']);
    expect(steps(first)).not.toContain('cluster-api-service');
    const then = decided(snapshot, { reachability: new Map([['cluster-api-service', 'open']]) });
    expect(steps(then)).toContain('cluster-api-service');
  });

  it('probes no Service of a remote host cluster', () => {
    const done: readonly Step[] = ['etcd', 'karmada-apiserver', 'karmada-aggregated-apiserver'];
    const snapshot = {
      ...withAddresses(snapshotOf(DESIRED, [...INSIDE, ...done])),
      remote: {
        server: 'https://host',
        secret: 'team/host',
        hasNamespace: true,
        endpoint: 'https://host',
        namespaceLabels: {},
      },
    };
    const found = decided(snapshot);
    expect(found.probes).toEqual([]);
    expect(steps(found)).toContain('cluster-api-service');
  });

  it('keeps the Pods of a control plane that waits for the rollout of another one', () => {
    const complete = snapshotOf(DESIRED, [...DESIRED.steps]);
    const objects = complete.host.objects.map((object): KubernetesObject => {
      const { metadata } = object;
      if (object.kind !== 'Deployment') return object;
      const annotations = { ...metadata.annotations, 'operator.karmada.io/applied-hash': 'other' };
      return { ...object, metadata: { ...metadata, annotations } };
    });
    const snapshot = { ...complete, host: { ...complete.host, objects } };
    const rolling = { key: 'team/rolls', state: 'rolling' } as const;
    const found = decided(snapshot, { before: INSTALLED, siblings: [rolling] });
    expect(found.rollout).toMatchObject({ turn: 'wait', reason: 'Waiting' });
    const written = ofKind(found.plan.actions, 'apply').map(({ target }) => target.object.kind);
    expect(written).not.toContain('Deployment');
    expect(decided(snapshot, { before: INSTALLED }).rollout).toEqual({ turn: 'announce' });
  });
});
