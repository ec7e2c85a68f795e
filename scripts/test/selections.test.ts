import { describe, expect, it } from '@jest/globals';
import { selectedBy, selectionOf } from './selections.ts';

describe('selectionOf', () => {
  it.each<[string | undefined, readonly string[] | undefined]>([
    [undefined, undefined],
    ['', undefined],
    [' , ', undefined],
    ['image, flag-etcd,', ['image', 'flag-etcd']],
  ])('reads %j', (text, expected) => {
    expect(selectionOf('e2e/faults', { KARMADA_TEST_FAULTS: text })).toEqual(expected);
  });
});

describe('selectedBy', () => {
  it.each<[string, Readonly<Record<string, string>>, string | undefined]>([
    ['e2e/faults', { KARMADA_TEST_FAULTS: 'image' }, 'KARMADA_TEST_FAULTS'],
    ['e2e/tenant-attacks', { KARMADA_TEST_ATTACKS: 'names' }, 'KARMADA_TEST_ATTACKS'],
    ['e2e/tenant-attacks', { KARMADA_TEST_FAULTS: 'image' }, undefined],
    ['e2e/faults', { KARMADA_TEST_FAULTS: '' }, undefined],
    ['e2e/core', { KARMADA_TEST_FAULTS: 'image' }, undefined],
  ])('names the variable that selects cases of %s: %j', (suite, environment, expected) => {
    expect(selectedBy(suite, environment)).toBe(expected);
  });
});
