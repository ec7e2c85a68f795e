import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../objects/object.ts';
import { migrateManagedFields, migrationPatch } from './migrate-managed-fields.ts';

function managed(entries: object[]): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'x', resourceVersion: '7', managedFields: entries },
  };
}

function entry(manager: string, operation: string, fieldsV1: object, more: object = {}): object {
  return { manager, operation, apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1, ...more };
}

const a = { 'f:data': { '.': {}, 'f:a': {} } };
const b = { 'f:data': { 'f:b': {} }, 'f:metadata': { 'f:labels': {} } };

describe('migrateManagedFields', () => {
  it('merges Update entries of the manager into its Apply entry', () => {
    const others = [
      entry('kubectl', 'Update', a),
      entry('me', 'Update', a, { subresource: 'status' }),
    ];
    const object = managed([entry('me', 'Update', a), ...others, entry('me', 'Apply', b)]);
    expect(migrateManagedFields(object, 'me')).toEqual([
      ...others,
      entry('me', 'Apply', {
        'f:data': { '.': {}, 'f:a': {}, 'f:b': {} },
        'f:metadata': { 'f:labels': {} },
      }),
    ]);
  });

  it.each<[string, readonly object[], object]>([
    [
      'sets of all entries',
      [{ 'f:a': { 'f:b': {} } }, {}, { 'f:a': { 'f:c': {} } }],
      { 'f:b': {}, 'f:c': {} },
    ],
    [
      'no set that a later value replaces',
      [{ 'f:a': { 'f:b': {} } }, { 'f:a': 'x' }, { 'f:a': { 'f:c': {} } }],
      { 'f:c': {} },
    ],
  ])('merges %s', (_, sets, expected) => {
    const object = managed(sets.map((fields) => entry('me', 'Update', fields)));
    expect(migrateManagedFields(object, 'me')).toEqual([entry('me', 'Apply', { 'f:a': expected })]);
  });

  it('keeps the time of the first Update entry', () => {
    const object = managed([entry('me', 'Update', a, { time: '2026-01-01T00:00:00Z' })]);
    expect(migrateManagedFields(object, 'me')).toEqual([
      entry('me', 'Apply', a, { time: '2026-01-01T00:00:00Z' }),
    ]);
  });

  it.each([
    ['there are no entries', []],
    ['only other managers have entries', [entry('kubectl', 'Update', a)]],
    ['the manager only has an Apply entry', [entry('me', 'Apply', a)]],
  ])('returns undefined when %s', (_name, entries) => {
    expect(migrateManagedFields(managed(entries), 'me')).toBeUndefined();
  });

  it('migrationPatch contains the resourceVersion that was read as a precondition', () => {
    expect(migrationPatch(managed([]), [])).toContainEqual({
      op: 'replace',
      path: '/metadata/resourceVersion',
      value: '7',
    });
  });
});
