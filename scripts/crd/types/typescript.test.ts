import { describe, expect, it } from '@jest/globals';
import { kubernetes } from '../kubernetes/types.ts';
import {
  flag,
  integer,
  intOrString,
  list,
  object,
  stringMap,
  text,
  type Schema,
} from '../schema.ts';
import { typeDeclarations, type TypeNames } from './typescript.ts';

const NAMES: TypeNames = {
  named: [
    [/^spec$/, 'Spec'],
    [/\.ref$/, 'Ref'],
    [/\.condition$/, 'ObjectCondition'],
  ],
  imported: { ObjectCondition: './object.ts' },
  present: { 'spec.one': ['a'] },
  hasRequired: false,
};

/** Declarations without line breaks. */
const declared = (spec: Schema, names: Partial<TypeNames> = {}): string =>
  typeDeclarations({ spec }, { ...NAMES, ...names })
    .split(/\s+/)
    .join(' ')
    .trim();

describe('typeDeclarations', () => {
  it.each<readonly [string, Schema, string]>([
    ['a text', text(''), 'string'],
    ['a number', integer('', 'int32'), 'number'],
    ['a boolean', flag(''), 'boolean'],
    ['an integer or text', intOrString(''), 'number | string'],
    ['an enumeration without the empty text', text('', { enum: ['', 'A', 'B'] }), "'A' | 'B'"],
    ['known values', text('', { knownValues: ['A'] }), "'A'"],
    ['a map', stringMap(''), 'Readonly<Record<string, string>>'],
    ['a list', list('', { type: 'string' }), 'readonly string[]'],
    [
      'a list of an enumeration',
      list('', text('', { enum: ['A', 'B'] })),
      "readonly ('A' | 'B')[]",
    ],
    ['an object without a name', object('', { b: flag('') }), '{ readonly b?: boolean; }'],
  ])('writes %s', (_title, field, expected) => {
    expect(declared(object('', { a: field }))).toBe(
      `export interface Spec { readonly a?: ${expected}; }`,
    );
  });

  it('writes descriptions, and only the given fields as always set', () => {
    const one = object('', { a: flag(''), b: flag('') }, { required: ['a', 'b'] });
    expect(declared(object('The spec.', { one: { ...one, description: 'One.' } }))).toBe(
      '/** The spec. */ export interface Spec { /** One. */ readonly one?: { readonly a: boolean; readonly b?: boolean; }; }',
    );
  });

  it('writes required fields as always set where objects have them', () => {
    const spec = object('', { a: flag(''), b: flag('') }, { required: ['a'] });
    expect(declared(spec, { hasRequired: true })).toBe(
      'export interface Spec { readonly a: boolean; readonly b?: boolean; }',
    );
  });

  it('imports Kubernetes types and types of other modules', () => {
    const spec = object('', {
      affinity: kubernetes.Affinity,
      tolerations: list('', kubernetes.Toleration),
      condition: object('', { type: text('') }),
    });
    expect(declared(spec)).toBe(
      [
        "import type { ObjectCondition } from './object.ts';",
        "import type { V1Affinity, V1Toleration } from '@kubernetes/client-node';",
        'export interface Spec { readonly affinity?: V1Affinity;',
        'readonly tolerations?: readonly V1Toleration[]; readonly condition?: ObjectCondition; }',
      ].join(' '),
    );
  });

  it('declares a type once that occurs several times, and throws when its fields differ', () => {
    const ref = object('Reference.', { name: text('') });
    const twice = (other: Schema): Schema =>
      object('', { a: object('', { ref }), b: object('', { ref: other }) });
    expect(
      declared(twice({ ...ref, description: 'Another.' })).match(/interface Ref/g),
    ).toHaveLength(1);
    expect(() => declared(twice(object('', { key: text('') })))).toThrow(
      'spec.b.ref: another type with the name Ref has other fields',
    );
  });
});
