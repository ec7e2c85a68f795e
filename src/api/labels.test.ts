import { expect, it } from '@jest/globals';
import { INSTANCE, MANAGED_BY, MANAGER, wasApplied } from './labels.ts';

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
