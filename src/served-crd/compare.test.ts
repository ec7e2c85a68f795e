import { describe, expect, it } from '@jest/globals';
import { karmadaCrd } from '../../scripts/crd/karmada.ts';
import { lacksOf, lacksText } from './compare.ts';

type Json = Readonly<Record<string, unknown>>;
const copy = (): Json => JSON.parse(JSON.stringify(karmadaCrd)) as Json;

/** Returns the CRD with the value at a path replaced, or removed if no value is given. */
function changed(path: readonly (string | number)[], value?: unknown): Json {
  const crd = copy();
  type Node = Record<string, unknown>;
  const parent = path.slice(0, -1).reduce<Node>((at, key) => at[key] as Node, crd);
  const last = String(path.at(-1));
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return crd;
}

const VERSION = ['spec', 'versions', 0];
const ROOT = [...VERSION, 'schema', 'openAPIV3Schema'];
const SPEC = [...ROOT, 'properties', 'spec', 'properties'];

describe('lacksOf', () => {
  it.each<[string, Json, readonly string[]]>([
    ['returns nothing for the same CRD', copy(), []],
    [
      'returns nothing for a CRD with additional fields',
      changed([...SPEC, 'more'], { type: 'string', description: 'More.' }),
      [],
    ],
    ['returns a missing field', changed([...SPEC, 'version']), ['field spec.version']],
    [
      'returns a version that is not served',
      changed([...VERSION, 'served'], false),
      ['version v1alpha1'],
    ],
    [
      'returns a missing subresource',
      changed([...VERSION, 'subresources'], {}),
      ['subresource status'],
    ],
    [
      'returns nothing below a node that preserves unknown fields',
      changed([...ROOT, 'properties', 'status'], {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
      }),
      [],
    ],
  ])('%s', (_, served, expected) => {
    expect(lacksOf(copy(), served).map(({ kind, path }) => `${kind} ${path}`)).toEqual(expected);
  });

  it('returns the rules of the whole object, which protect data, first', () => {
    const lacks = lacksOf(copy(), changed([...ROOT, 'x-kubernetes-validations']));
    expect(lacks).toHaveLength(8);
    expect(lacks.map(({ message }) => message)).toContain(
      'cannot switch between local and external, because the data is not migrated; create another Karmada',
    );
    expect(lacksText(lacks)).toMatch(/^8 rules \(too long: .*; …\)$/);
  });

  it('returns the whole version as missing for an empty CRD', () => {
    expect(lacksText(lacksOf(copy(), {}))).toBe('1 version (v1alpha1)');
  });
});
