import { describe, expect, it } from '@jest/globals';
import { defaultSpec } from '../api/defaults/defaults.ts';
import type { KarmadaStatus } from '../api/karmada.ts';
import type { PageOptions, ListPage } from '../kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import type { ResourceType } from '../kubernetes/objects/resources.ts';
import { karmadaOf } from './__fixtures__/instance.ts';
import type { ResolvedSpec } from '../features/versions/resolve-spec.ts';
import { observeRemovedValues } from '../features/versions/observe-removed-values.ts';
import { removalsBetween, removedValuesIn } from './removed-values.ts';

const policy = (name: string, purgeMode: string): KubernetesObject => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'PropagationPolicy',
  metadata: { name, namespace: 'default' },
  spec: { failover: { application: { purgeMode, gracePeriodSeconds: 10 } } },
});

const binding: KubernetesObject = {
  apiVersion: 'work.karmada.io/v1alpha2',
  kind: 'ClusterResourceBinding',
  metadata: { name: 'node' },
  spec: { gracefulEvictionTasks: [{ purgeMode: 'Never' }, { purgeMode: 'Immediately' }] },
};

const REMOVALS = removalsBetween('v1.18.2', 'v1.19.0');

describe('removedValuesIn', () => {
  /** A binding as no API server of Kubernetes would store it. */
  const hostile = (spec: object): KubernetesObject => ({ ...binding, spec });
  const nested = (depth: number, value: unknown): unknown =>
    depth === 0 ? value : [nested(depth - 1, value)];

  it('takes no longer for deeply nested values, and returns few of many', () => {
    const tasks = Array.from({ length: 20_000 }, () => ({ purgeMode: 'Immediately' }));
    const deep = nested(900, tasks);
    expect(removedValuesIn(hostile({ deep }), REMOVALS)).toEqual([]);
    expect(removedValuesIn(hostile({ tasks }), REMOVALS)).toHaveLength(20);
  });

  it('names no field that a CRD cannot have', () => {
    const spec = {
      'a\nb': { purgeMode: 'Immediately' },
      ['x'.repeat(999)]: { purgeMode: 'Never' },
    };
    expect(removedValuesIn(hostile(spec), REMOVALS)).toEqual([]);
  });

  it('finds the values that Karmada v1.19 removes, with their replacements', () => {
    expect(
      [policy('a', 'Graciously'), binding].flatMap((one) => removedValuesIn(one, REMOVALS)),
    ).toEqual([
      {
        kind: 'PropagationPolicy',
        object: 'default/a',
        value: 'Graciously',
        field: 'spec.failover.application.purgeMode',
        replacement: 'Gracefully',
      },
      {
        kind: 'ClusterResourceBinding',
        object: 'node',
        value: 'Immediately',
        field: 'spec.gracefulEvictionTasks[1].purgeMode',
        replacement: 'Directly',
      },
    ]);
    expect(removedValuesIn(policy('a', 'constructor'), REMOVALS)).toEqual([]);
  });

  it.each([
    ['v1.18.2', 'v1.19.0', 1],
    ['v1.17.1', 'v1.19.1', 1],
    ['v1.18.0', 'v1.18.2', 0],
    ['v1.19.0', 'v1.20.0', 0],
    ['v1.19.0', 'v1.18.0', 0],
    [undefined, 'v1.19.0', 0],
    ['v1.18.2', 'latest', 0],
  ])('from %s to %s has %i removals', (from, to, count) => {
    expect(removalsBetween(from, to)).toHaveLength(count);
  });
});

/** Control plane with these objects, which answers with one object per page. */
const planeWith = (objects: readonly KubernetesObject[]) => ({
  calls: 0,
  listPage(type: ResourceType, { continue: next = '0' }: PageOptions = {}): Promise<ListPage> {
    this.calls += 1;
    const all = objects.filter(({ kind }) => kind === type.kind);
    const index = Number(next);
    return Promise.resolve({
      resourceVersion: '1',
      items: all.slice(index, index + 1),
      ...(index + 1 < all.length && { continue: String(index + 1) }),
    });
  },
});

describe('observeRemovedValues', () => {
  const karmada = karmadaOf({ version: 'v1.19.0' });
  const spec = defaultSpec(karmada.spec, { defaultStorageClass: false });
  const status: KarmadaStatus = {
    secretRef: { name: 'a' },
    versions: { karmada: 'v1.18.2', kubernetes: 'v1.35.4' },
  };
  const resolved: ResolvedSpec = { spec, blockedVersions: [], nextReleases: [] };
  const observed = (
    plane: ReturnType<typeof planeWith> | undefined,
    { time = 0, instance = {}, given = status } = {},
  ) => {
    const seen = Object.assign(instance, plane && { controlPlane: { client: plane } });
    const clock = { monotonic: () => time } as never;
    const host = { objects: [], pods: [], claims: [] };
    return observeRemovedValues(
      { clock },
      seen as never,
      { karmada, status: given, host, now: 0 },
      resolved,
    );
  };

  it('keeps the running release while an object has a removed value, and names it', async () => {
    const found = await observed(
      planeWith([policy('a', 'Never'), policy('b', 'Immediately'), binding]),
    );
    expect(found.blockedVersions).toEqual([
      {
        step: 'karmada-controller-manager',
        reason: 'RemovedValuesBlocked',
        message:
          'Karmada v1.19.0 does not accept values that objects of the control plane have (PropagationPolicy default/b: spec.failover.application.purgeMode is Immediately, set Directly; ClusterResourceBinding node: spec.gracefulEvictionTasks[1].purgeMode is Immediately, set Directly); change them with kubectl in the control plane, and the operator continues',
      },
    ]);
    expect(found.spec.components.karmadaScheduler.imageTag).toBe('v1.18.2');
    expect(found.spec.version).toBeUndefined();
  });

  it('lets the upgrade start without such an object, and before the first installation', async () => {
    expect(await observed(planeWith([policy('a', 'Gracefully')]))).toBe(resolved);
    expect(await observed(undefined, { given: {} })).toBe(resolved);
  });

  it('waits while the control plane cannot be read', async () => {
    const [hold] = (await observed(undefined)).blockedVersions;
    expect(hold?.message).toMatch(/cannot read the objects .*the operator retries$/);
  });

  it('does not search again for 15 seconds', async () => {
    const plane = planeWith([policy('a', 'Immediately')]);
    const instance = {};
    await observed(plane, { instance });
    const { calls } = plane;
    await observed(plane, { instance, time: 14_000 });
    expect(plane.calls).toBe(calls);
    await observed(plane, { instance, time: 16_000 });
    expect(plane.calls).toBe(2 * calls);
  });
});
