import { expect, it } from '@jest/globals';
import { INSTANCE, MANAGED_BY, MANAGER, wasApplied } from './labels.ts';

const applied = { manager: 'karmada-operator', operation: 'Apply', fieldsType: 'FieldsV1' };

it.each([
  ['labels taken away', {}, [applied], true],
  ['one label taken away', { [INSTANCE]: 'demo' }, [applied], true],
  ['of another instance', { [INSTANCE]: 'other', [MANAGED_BY]: MANAGER }, [applied], false],
  ['made by somebody else', {}, [{ ...applied, manager: 'kubectl' }], false],
  ['updated by the Go operator', {}, [{ ...applied, operation: 'Update' }], false],
  ['of which we wrote the status', {}, [{ ...applied, subresource: 'status' }], false],
  ['of which nothing is noted', {}, undefined, false],
])('whose an object is: %s', (_, labels, managedFields, ours) => {
  const metadata = { name: 'a', labels, ...(managedFields && { managedFields }) };
  expect(wasApplied({ apiVersion: 'v1', kind: 'Service', metadata }, 'demo')).toBe(ours);
});
