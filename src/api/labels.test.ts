import { expect, it } from '@jest/globals';
import type { ObjectMeta } from '../kubernetes/objects/object.ts';
import { INSTANCE, isOurs, MANAGED_BY, MANAGER, markApplied, wasApplied } from './labels.ts';

const applied = { manager: 'karmada-operator', operation: 'Apply', fieldsType: 'FieldsV1' };

it.each([
  ['true when all labels are removed', {}, [applied], true],
  ['true when one label is removed', { [INSTANCE]: 'demo' }, [applied], true],
  [
    'false when the labels name another control plane',
    { [INSTANCE]: 'other', [MANAGED_BY]: MANAGER },
    [applied],
    false,
  ],
  [
    'false when another manager applied the object',
    {},
    [{ ...applied, manager: 'kubectl' }],
    false,
  ],
  [
    'false when the manager used update, as the Go operator does',
    {},
    [{ ...applied, operation: 'Update' }],
    false,
  ],
  [
    'false when the manager wrote only the status',
    {},
    [{ ...applied, subresource: 'status' }],
    false,
  ],
  ['false when the object has no managed fields', {}, undefined, false],
])('wasApplied returns %s', (_, labels, managedFields, ours) => {
  const metadata = { name: 'a', labels, ...(managedFields && { managedFields }) };
  expect(wasApplied({ apiVersion: 'v1', kind: 'Service', metadata }, 'demo')).toBe(ours);
});

const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a', uid: 'u', controller: true };
const own = { [INSTANCE]: 'demo' };

it.each<[string, Omit<ObjectMeta, 'name'>, boolean]>([
  ['true with the labels of the operator', { labels: { ...own, [MANAGED_BY]: MANAGER } }, true],
  [
    'true when a workload with its name controls it',
    { labels: own, ownerReferences: [owner] },
    true,
  ],
  ['true when this operator applied it', { labels: own, managedFields: [applied] }, true],
  ['false when it only has the labels of the Pods', { labels: own }, false],
  [
    'false when another workload controls it',
    { labels: own, ownerReferences: [{ ...owner, name: 'b' }] },
    false,
  ],
  [
    'false when its owner is not its controller',
    { labels: own, ownerReferences: [{ ...owner, controller: false }] },
    false,
  ],
  [
    'false when another kind controls it',
    { labels: own, ownerReferences: [{ ...owner, kind: 'Karmada' }] },
    false,
  ],
  [
    'false when its labels name another control plane',
    { labels: { [INSTANCE]: 'other' }, ownerReferences: [owner], managedFields: [applied] },
    false,
  ],
  ['false without labels', { ownerReferences: [owner], managedFields: [applied] }, false],
])('isOurs returns %s, for a PodDisruptionBudget', (_, metadata, ours) => {
  const budget = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'a', ...metadata },
  };
  expect(isOurs(budget, 'demo')).toBe(ours);
});

it('isOurs returns false for another kind that a workload controls', () => {
  const metadata = { name: 'a', labels: own, ownerReferences: [owner], managedFields: [applied] };
  expect(isOurs({ apiVersion: 'v1', kind: 'Service', metadata }, 'demo')).toBe(false);
});

it('wasApplied returns true for a marked object without managed fields', () => {
  const metadata = { name: 'a', labels: own, managedFields: [applied] };
  const marked = markApplied({ apiVersion: 'v1', kind: 'Service', metadata });
  const cached = { ...marked, metadata: { name: 'a', labels: own } };
  expect([wasApplied(cached, 'demo'), wasApplied(cached, 'other')]).toEqual([true, false]);
});
