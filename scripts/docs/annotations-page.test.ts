import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { DOCUMENTED_KEYS } from './annotation-keys.ts';

const sources = globSync('src/**/*.{ts,yaml,hbs}', { cwd: checkout })
  .filter((file) => !/\.test\.ts$|\.fixture\.ts$|__fixtures__|__golden__/.test(file))
  .map((file) => readFileSync(join(checkout, file), 'utf8'));

/** Keys below the prefix of the operator, or below one that ends with it; `operator.karmada.io/v1alpha1` is an API version. */
function keysIn(text: string): readonly string[] {
  const found =
    text.match(/(?:[a-z]+\.)*operator\.karmada\.io\/[a-z][a-z-]*[a-z](?![a-z0-9])/g) ?? [];
  return found.filter((key) => !/\/v\d/.test(key));
}

describe('documented annotations and labels', () => {
  const documented = DOCUMENTED_KEYS.map(({ key }) => key);

  it('have one row for each key in the sources', () => {
    const used = new Set(sources.flatMap(keysIn));
    expect([...used].filter((key) => !documented.includes(key))).toEqual([]);
    expect(documented).toHaveLength(new Set(documented).size);
  });

  it('are all used in the sources', () => {
    const text = sources.join('\n');
    expect(documented.filter((key) => !text.includes(key))).toEqual([]);
  });
});
