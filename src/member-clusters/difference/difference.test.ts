import { describe, expect, it } from '@jest/globals';
import { identity, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import { compareObject, countsOf, orphanedObjects, type Compared } from './difference.ts';
import { manifestsOf } from './work.ts';

const MANAGED = { 'karmada.io/managed': 'true' };
const WRITTEN = { 'work.karmada.io/namespace': 'karmada-es-paris', 'work.karmada.io/name': 'x-1' };

const deployment = (replicas: number, metadata: object = {}): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'x', namespace: 'default', labels: MANAGED, annotations: WRITTEN, ...metadata },
  spec: { replicas },
});

const work = (spec: object, metadata: object = {}): KubernetesObject => ({
  apiVersion: 'work.karmada.io/v1alpha1',
  kind: 'Work',
  metadata: { name: 'x-1', namespace: 'karmada-es-paris', ...metadata },
  spec: { workload: { manifests: [deployment(1)] }, ...spec },
});

const gone = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const kept = { preserveResourcesOnDeletion: true };
const foreign = deployment(1, { labels: {} });
const overwriting = work({
  workload: {
    manifests: [
      deployment(2, { annotations: { 'work.karmada.io/conflict-resolution': 'overwrite' } }),
    ],
  },
});

const effectOf = (compared: Compared | undefined): string | undefined =>
  typeof compared === 'object' ? compared.effect : compared;

describe('compareObject', () => {
  it.each<[string, string, KubernetesObject, KubernetesObject | null | undefined]>([
    ['equal', 'both are equal', work({}), deployment(1)],
    ['create', 'the member cluster does not have the object', work({}), undefined],
    ['change', 'a field differs', work({}), deployment(2)],
    ['suspended', 'the Work is suspended', work({ suspendDispatching: true }), deployment(2)],
    ['blocked', 'the member cluster does not serve the kind', work({}), null],
    ['blocked', 'Karmada has not written the object', work({}), foreign],
    ['change', 'Karmada overwrites an object that it has not written', overwriting, foreign],
    ['delete', 'the Work is terminating', work({}, gone), deployment(1)],
    [
      'delete',
      'a suspended Work is terminating',
      work({ suspendDispatching: true }, gone),
      deployment(1),
    ],
    ['change', 'the Work is terminating, and keeps the object', work(kept, gone), deployment(1)],
    ['equal', 'the Work is terminating, and the object is gone', work({}, gone), undefined],
    ['equal', 'the Work is terminating, and the object is not managed', work({}, gone), foreign],
    ['equal', 'the Work of an unknown kind is terminating', work({}, gone), null],
  ])('returns %s when %s', (effect, _, of, live) => {
    const [manifest] = manifestsOf(of);
    expect(effectOf(manifest && compareObject(manifest, live))).toBe(effect);
  });

  it('names the object and the fields', () => {
    const [manifest] = manifestsOf(work({}));
    expect(manifest && compareObject(manifest, deployment(2))).toEqual({
      effect: 'change',
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      namespace: 'default',
      name: 'x',
      work: 'x-1',
      fields: ['spec.replicas'],
    });
  });
});

describe('manifestsOf', () => {
  it.each<[string, unknown]>([
    ['no manifests', undefined],
    ['a text', 'x'],
    ['null', [null]],
    ['no kind', [{ apiVersion: 'v1', metadata: { name: 'x' } }]],
    ['no name', [{ apiVersion: 'v1', kind: 'Secret', metadata: {} }]],
    ['a number as the namespace', [{ ...deployment(1), metadata: { name: 'x', namespace: 1 } }]],
  ])('returns nothing for a Work with %s', (_, manifests) => {
    expect(manifestsOf(work({ workload: { manifests } }))).toEqual([]);
  });

  it('returns nothing for a Work without a spec', () => {
    expect(manifestsOf({ ...work({}), spec: null })).toEqual([]);
  });
});

describe('orphanedObjects', () => {
  const owner = { apiVersion: 'v1', kind: 'X', name: 'x', uid: '1', controller: true };
  const found = (object: KubernetesObject, known: readonly string[] = []): number =>
    orphanedObjects('paris', [object], new Set(known)).length;

  it.each<[number, string, KubernetesObject]>([
    [1, 'an object that a Work has written', deployment(1)],
    [0, 'an object without the label', foreign],
    [0, 'an object without the annotation', deployment(1, { annotations: {} })],
    [
      0,
      'an object of another control plane',
      deployment(1, { annotations: { 'work.karmada.io/namespace': 'karmada-es-rome' } }),
    ],
    [0, 'an object that a controller made', deployment(1, { ownerReferences: [owner] })],
  ])('returns %i for %s', (count, _, object) => {
    expect(found(object)).toBe(count);
  });

  it('returns no object of a Work, in whichever version', () => {
    const object = { ...deployment(1), apiVersion: 'apps/v1beta1' };
    expect(found(object, [identity(deployment(1))])).toBe(0);
  });
});

describe('countsOf', () => {
  it('counts each effect, and equal objects', () => {
    const base = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x' };
    const effects = ['create', 'delete', 'delete', 'orphaned'] as const;
    const all = [...effects.map((effect) => ({ effect, ...base })), 'equal', 'suspended'] as const;
    expect(countsOf(all)).toEqual({
      create: 1,
      change: 0,
      delete: 2,
      orphaned: 1,
      blocked: 0,
      suspended: 1,
      equal: 1,
    });
  });
});
