import { describe, expect, it } from '@jest/globals';
import type { Alternative, Schema } from '../schema.ts';
import { kubernetes } from './types.ts';

type Json = Readonly<Record<string, unknown>>;
type Part = Schema | Alternative;

const matching = (all: readonly Part[], value: unknown): number =>
  all.filter((one) => accepts(one, value)).length;

const length = (value: unknown): number => (value as readonly unknown[]).length;

/** Evaluation of the keywords of a selector expression. */
const KEYWORDS: Readonly<Record<string, (limit: never, value: never) => boolean>> = {
  enum: (values: readonly unknown[], value: unknown) => values.includes(value),
  pattern: (pattern: string, value: string) => new RegExp(pattern).test(value),
  minItems: (least: number, value: unknown) => length(value) >= least,
  maxItems: (most: number, value: unknown) => length(value) <= most,
  required: (names: readonly string[], value: Json) => names.every((name) => name in value),
  properties: (parts: Readonly<Record<string, Part>>, value: Json) =>
    Object.entries(parts).every(([name, part]) => !(name in value) || accepts(part, value[name])),
  oneOf: (all: readonly Part[], value: unknown) => matching(all, value) === 1,
  anyOf: (all: readonly Part[], value: unknown) => matching(all, value) > 0,
};

function accepts(schema: Part, value: unknown): boolean {
  return Object.entries(schema).every(
    ([keyword, limit]) => KEYWORDS[keyword]?.(limit as never, value as never) ?? true,
  );
}

/** Schema at a path of property names; `[]` selects the items of a list. */
function at(path: string): Schema {
  return path
    .split('.')
    .reduce<Schema>(
      (schema, name) => (name === '[]' ? schema.items : schema.properties?.[name]) ?? {},
      kubernetes.Affinity,
    );
}

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'in', 'Ex', 'n', 'x', ''];
const values = [undefined, [], ['a'], ['a', 'b']] as const;

/** Number of values that Kubernetes requires: at least and at most. */
const LABELS: Readonly<Record<string, readonly [number, number]>> = {
  ...{ In: [1, Infinity], NotIn: [1, Infinity], Exists: [0, 0], DoesNotExist: [0, 0] },
};
const NODES = { ...LABELS, Gt: [1, 1], Lt: [1, 1] } as typeof LABELS;

const TERM = 'requiredDuringSchedulingIgnoredDuringExecution';

describe.each([
  [`podAffinity.${TERM}.[].labelSelector.matchExpressions.[]`, LABELS],
  [`podAntiAffinity.${TERM}.[].namespaceSelector.matchExpressions.[]`, LABELS],
  [`nodeAffinity.${TERM}.nodeSelectorTerms.[].matchExpressions.[]`, NODES],
])('expressions at %s', (path, limits) => {
  const cases = operators.flatMap((operator) => values.map((list) => [operator, list] as const));

  it.each(cases)('are valid as in Kubernetes with operator %j and values %j', (operator, list) => {
    const [least, most] = limits[operator] ?? [Infinity, 0];
    const count = list?.length ?? 0;
    const expression = { key: 'a', operator, ...(list && { values: list }) };
    expect(accepts(at(path), expression)).toBe(count >= least && count <= most);
  });

  it('require an operator and a key', () => {
    expect(accepts(at(path), { key: 'a', values: ['a'] })).toBe(false);
    expect(accepts(at(path), { operator: 'Exists' })).toBe(false);
  });
});
