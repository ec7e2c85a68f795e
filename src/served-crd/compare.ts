/** Compares the CRD in the cluster with the CRD of this operator version (pure functions). */
import { isObject } from '../kubernetes/objects/compare.ts';

/** Part of the expected CRD that the served CRD lacks. */
export interface Lack {
  readonly kind: 'version' | 'subresource' | 'field' | 'rule';
  /** Field path such as `spec.components.etcd`; empty for the object as a whole. */
  readonly path: string;
  /** Message of the rule. */
  readonly message?: string;
}

interface Version {
  readonly name: string;
  readonly served?: boolean;
  readonly subresources?: object;
  readonly schema?: { readonly openAPIV3Schema?: Schema };
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-validations'?: readonly Rule[];
}

interface Rule {
  readonly rule: string;
  readonly message?: string;
}

interface Definition {
  readonly spec?: { readonly versions?: readonly Version[] };
}

/**
 * Returns fields, rules, versions and subresources of `expected` that `served` lacks. Outermost parts come first:
 * the rules of the whole object protect data. Additional parts of `served` and other descriptions do no harm.
 */
export function lacksOf(expected: Definition, served: Definition): readonly Lack[] {
  return (expected.spec?.versions ?? []).flatMap((version): readonly Lack[] => {
    const found = served.spec?.versions?.find(({ name }) => name === version.name);
    if (found?.served !== true) return [{ kind: 'version', path: version.name }];
    const missing = Object.keys(version.subresources ?? {}).filter(
      (name) => !Object.hasOwn(found.subresources ?? {}, name),
    );
    const [required, given] = [version, found].map(({ schema }) => schema?.openAPIV3Schema ?? {});
    return [
      ...missing.map((path): Lack => ({ kind: 'subresource', path })),
      ...schemaLacks(required ?? {}, given ?? {}, ''),
    ];
  });
}

function schemaLacks(expected: Schema, served: Schema, path: string): readonly Lack[] {
  return [...ruleLacks(expected, served, path), ...innerLacks(expected, served, path)];
}

function ruleLacks(expected: Schema, served: Schema, path: string): readonly Lack[] {
  const there = new Set((served['x-kubernetes-validations'] ?? []).map(({ rule }) => rule));
  return (expected['x-kubernetes-validations'] ?? [])
    .filter(({ rule }) => !there.has(rule))
    .map(({ rule, message = rule }) => ({ kind: 'rule', path, message }));
}

function innerLacks(expected: Schema, served: Schema, path: string): readonly Lack[] {
  const fields = Object.entries(expected.properties ?? {}).flatMap(([name, schema]) => {
    const inner = path === '' ? name : `${path}.${name}`;
    const properties = served.properties ?? {};
    const found = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (found !== undefined) return schemaLacks(schema, found, inner);
    // The API server keeps any field here without validation; only the operator validates it.
    const kept = served['x-kubernetes-preserve-unknown-fields'] === true;
    return kept ? [] : [{ kind: 'field', path: inner } as const];
  });
  return [
    ...fields,
    ...nested(expected.items, served.items, `${path}[]`),
    ...nested(expected.additionalProperties, served.additionalProperties, `${path}[key]`),
  ];
}

function nested(
  expected: Schema | boolean | undefined,
  served: Schema | boolean | undefined,
  path: string,
): readonly Lack[] {
  return isObject(expected) && isObject(served) ? schemaLacks(expected, served, path) : [];
}

/** Maximum number of entries per kind in a message. */
const MAX_NAMED = 5;

/** Formats missing parts for messages, such as `1 field (…), 2 rules (…)`; empty if nothing is missing. */
export function lacksText(lacks: readonly Lack[]): string {
  const of = (kind: Lack['kind']): readonly string[] => {
    const found = lacks.filter((lack) => lack.kind === kind);
    if (found.length === 0) return [];
    const named = found.slice(0, MAX_NAMED).map(spoken).join('; ');
    const more = found.length > MAX_NAMED ? '; …' : '';
    return [`${found.length} ${kind}${found.length === 1 ? '' : 's'} (${named}${more})`];
  };
  return (['version', 'subresource', 'field', 'rule'] as const).flatMap(of).join(', ');
}

function spoken({ path, message }: Lack): string {
  const text = message === undefined ? '' : message.slice(0, 80);
  return [path, text].filter((part) => part !== '').join(': ');
}
