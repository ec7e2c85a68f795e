import { describe, expect, it } from '@jest/globals';
import { readYaml } from './read-yaml.ts';

const read = (text: string): readonly unknown[] => readYaml(text, 'karmada.yaml');

/** Alias bomb: ten levels of lists, each with ten references to the previous level, so 10¹⁰ values in a few lines. */
const BOMB = Array.from({ length: 10 }, (_, level) => {
  const item = level === 0 ? 'x' : `*a${level - 1}`;
  return `a${level}: &a${level} [${Array.from({ length: 10 }, () => item).join(', ')}]`;
}).join('\n');

describe('readYaml', () => {
  it.each<[string, string, unknown]>([
    ['resolves an alias', 'a: &limits {cpu: 1}\nb: *limits\n', { a: { cpu: 1 }, b: { cpu: 1 } }],
    ['resolves an alias of a string', 'a: &tag v1.17.1\nb: *tag\n', { a: 'v1.17.1', b: 'v1.17.1' }],
    [
      'gives keys of a mapping precedence over merge keys',
      'a: &base {x: 1, y: 1}\nb:\n  <<: *base\n  y: 2\n',
      { a: { x: 1, y: 1 }, b: { x: 1, y: 2 } },
    ],
    [
      'gives earlier mappings of a merge precedence over later ones',
      'a: &one {x: 1}\nb: &two {x: 2, z: 3}\nc:\n  <<: [*one, *two]\n',
      { a: { x: 1 }, b: { x: 2, z: 3 }, c: { x: 1, z: 3 } },
    ],
    [
      'keeps a key named __proto__ as an own key',
      'a: &base {__proto__: {x: 1}}\nb: *base\n',
      JSON.parse('{"a":{"__proto__":{"x":1}},"b":{"__proto__":{"x":1}}}'),
    ],
  ])('%s', (_, text, expected) => {
    const [document] = read(text);
    expect(JSON.stringify(document)).toBe(JSON.stringify(expected));
  });

  it('returns every document without shared values', () => {
    const documents = read('a: &x {y: [1]}\nb: *x\n---\nc: 1\n');
    expect(documents).toEqual([{ a: { y: [1] }, b: { y: [1] } }, { c: 1 }]);
    const [{ a, b }] = documents as [{ a: object; b: object }];
    expect(a).not.toBe(b);
  });

  it.each<[string, string, string | RegExp]>([
    ['more values than the limit', BOMB, 'karmada.yaml: more than 100000 values'],
    [
      'more aliases than the limit',
      `a: &a 1\nb: [${'*a, '.repeat(1_001)}]\n`,
      'aliases exceeded maxAliases (1000)',
    ],
    ['an alias inside its own anchor', 'a: &a [1, *a]\n', 'karmada.yaml: an alias is inside'],
    [
      'an alias without an anchor',
      'a: *b\n',
      /^karmada\.yaml:1:\d+: cannot be parsed as YAML: unidentified alias "b"/,
    ],
    ['too many merge keys', mergeBomb(), 'merge keys exceeded maxTotalMergeKeys'],
    [
      'invalid YAML',
      'a:\n  b: 1\n   c: 2\n',
      /^karmada\.yaml:3:5: cannot be parsed as YAML: bad indentation of a mapping entry$/,
    ],
    [
      'a key that occurs twice',
      '{a: 1, a: 2}',
      /^karmada\.yaml:1:8: cannot be parsed as YAML: duplicated mapping key$/,
    ],
  ])('rejects %s', (_, text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});

/** Returns a document with many merges of one large mapping. */
function mergeBomb(): string {
  const keys = Array.from({ length: 200 }, (_, n) => `k${n}: 1`).join(', ');
  const merges = Array.from({ length: 100 }, (_, n) => `m${n}: {<<: *a}`).join('\n');
  return `a: &a {${keys}}\n${merges}\n`;
}
