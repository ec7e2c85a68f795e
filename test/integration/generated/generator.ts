/** Generates specs from the schema of the CRD: sensible values first, then a few hostile mutations. */
import fc from 'fast-check';

import type { Schema } from '../../../scripts/crd/schema.ts';
import { isBelow, ROOT, specSchema } from './schema.ts';
import { choiceAt } from './unions.ts';
import { keyOf, valueOf } from './values.ts';

type Json = Readonly<Record<string, unknown>>;

/** Probability of an optional field that is not requested: one in n. */
const SELDOM = { top: 3, settings: 5, deep: 9 } as const;

/** Generates specs. Generators for subtrees without requested fields are cached. */
export class Generator {
  readonly #kept = new Map<string, fc.Arbitrary<unknown>>();

  /** Specs with all of these fields and some random ones. */
  spec(wanted: readonly string[]): fc.Arbitrary<Json> {
    return this.#build(specSchema, ROOT, wanted) as fc.Arbitrary<Json>;
  }

  #build(schema: Schema, path: string, wanted: readonly string[]): fc.Arbitrary<unknown> {
    if (wanted.length > 0) return this.#make(schema, path, wanted);
    const kept = this.#kept.get(path) ?? this.#make(schema, path, []);
    this.#kept.set(path, kept);
    return kept;
  }

  #make(schema: Schema, path: string, wanted: readonly string[]): fc.Arbitrary<unknown> {
    if (schema.properties) return this.#object(schema, path, wanted);
    if (schema.items) return this.#list(schema.items, `${path}[]`, wanted);
    if (schema.additionalProperties) return this.#map(schema.additionalProperties, path, wanted);
    return valueOf(path, schema);
  }

  #object(schema: Schema, path: string, wanted: readonly string[]): fc.Arbitrary<unknown> {
    const names = Object.keys(schema.properties ?? {});
    const choice = choiceAt(path, names);
    const chosen = choice?.members.filter((name) => below(wanted, `${path}.${name}`).length > 0);
    const free = names.filter((name) => !choice?.members.includes(name));
    const field = (name: string, always: boolean): fc.Arbitrary<Json> => {
      const own = `${path}.${name}`;
      const part = schema.properties?.[name] ?? {};
      const asked = below(wanted, own);
      const value = this.#build(part, own, asked).map((made) => ({ [name]: made }));
      if (always || asked.length > 0 || schema.required?.includes(name) === true) return value;
      return seldom(path, value);
    };
    const fixed = free.map((name) => field(name, false));
    return fc
      .tuple(
        ...fixed,
        this.#choose(choice?.members ?? [], chosen ?? [], choice?.optional === true, field),
      )
      .map((made) => Object.assign({}, ...made) as Json);
  }

  /** One of several mutually exclusive fields: the requested one, else a random one, else none. */
  #choose(
    members: readonly string[],
    chosen: readonly string[],
    optional: boolean,
    field: (name: string, always: boolean) => fc.Arbitrary<Json>,
  ): fc.Arbitrary<Json> {
    if (chosen.length > 0) return fc.tuple(...chosen.map((name) => field(name, true))).map(merged);
    if (members.length === 0) return fc.constant({});
    const any = fc.constantFrom(...members).chain((name) => field(name, true));
    return optional ? fc.oneof(fc.constant({}), any) : any;
  }

  #list(items: Schema, path: string, wanted: readonly string[]): fc.Arbitrary<unknown> {
    const asked = wanted.map((field) => this.#build(items, path, [field]));
    const more = fc.array(
      fc.constant(undefined).chain(() => this.#build(items, path, [])),
      {
        minLength: asked.length > 0 ? 0 : 1,
        maxLength: asked.length > 0 ? 1 : 2,
      },
    );
    return fc.tuple(fc.tuple(...asked), more).map(([first, rest]) => [...first, ...rest]);
  }

  #map(values: Schema, path: string, wanted: readonly string[]): fc.Arbitrary<unknown> {
    const value = this.#build(values, `${path}{}`, wanted.length > 0 ? [`${path}{}`] : []);
    return fc.dictionary(keyOf(path), value, { minKeys: 1, maxKeys: 2, noNullPrototype: true });
  }
}

function below(paths: readonly string[], prefix: string): readonly string[] {
  return paths.filter((path) => isBelow(path, prefix));
}

function merged(fields: readonly Json[]): Json {
  return Object.assign({}, ...fields) as Json;
}

/** A field that is mostly absent; shrinking removes it. */
function seldom(path: string, field: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  const depth = path.split(/[.[{]/).length;
  const one = depth < 3 ? SELDOM.top : depth < 5 ? SELDOM.settings : SELDOM.deep;
  return fc.oneof(
    { withCrossShrink: true },
    { weight: one - 1, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: field },
  );
}
