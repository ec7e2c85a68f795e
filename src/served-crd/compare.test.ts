import { describe, expect, it } from '@jest/globals';
import { karmadaCrd } from '../../scripts/crd/karmada.ts';
import { lacksOf, lacksText } from './compare.ts';

type Json = Readonly<Record<string, unknown>>;
const copy = (): Json => JSON.parse(JSON.stringify(karmadaCrd)) as Json;

/** The CRD with one value at a path replaced or, without a value, taken away. */
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
    ['finds nothing in the same CRD', copy(), []],
    [
      'finds nothing in a CRD with more fields and other texts',
      changed([...SPEC, 'more'], { type: 'string', description: 'More.' }),
      [],
    ],
    ['names a field', changed([...SPEC, 'version']), ['field spec.version']],
    [
      'names a version that is not served',
      changed([...VERSION, 'served'], false),
      ['version v1alpha1'],
    ],
    ['names a subresource', changed([...VERSION, 'subresources'], {}), ['subresource status']],
    [
      'finds no field missing where any is kept',
      changed([...ROOT, 'properties', 'status'], {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
      }),
      [],
    ],
  ])('%s', (_, served, expected) => {
    expect(lacksOf(copy(), served).map(({ kind, path }) => `${kind} ${path}`)).toEqual(expected);
  });

  it('names the rules that protect data first', () => {
    const lacks = lacksOf(copy(), changed([...ROOT, 'x-kubernetes-validations']));
    expect(lacks).toHaveLength(8);
    expect(lacks.map(({ message }) => message)).toContain(
      'cannot change between local and external, as the data would stay behind; create another Karmada',
    );
    expect(lacksText(lacks)).toMatch(/^8 rules \(too long: .*; …\)$/);
  });

  it('finds all of it missing in an empty CRD', () => {
    expect(lacksText(lacksOf(copy(), {}))).toBe('1 version (v1alpha1)');
  });
});
