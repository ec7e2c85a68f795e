import { describe, expect, it } from '@jest/globals';
import { FAULTS } from './faults/all-faults.ts';
import { selectCases } from './select-cases.ts';

const idsFor = (text: string | undefined): readonly string[] =>
  selectCases('e2e/faults', FAULTS, { KARMADA_TEST_FAULTS: text }).map(({ id }) => id);

describe('selectCases', () => {
  it.each<[string, string, readonly string[]]>([
    ['by the beginnings of ids', 'quota, flag-etcd', ['flag-etcd', 'quota-pods', 'quota-limits']],
    ['by an exact id only that case', 'memory-limit', ['memory-limit']],
    ['each case once', 'quota-pods,quota', ['quota-pods', 'quota-limits']],
  ])('selects %s', (_, text, expected) => {
    expect(idsFor(text)).toEqual(expected);
  });

  it('rejects a text that selects no case', () => {
    expect(() => idsFor('quota,none')).toThrow(/^KARMADA_TEST_FAULTS: no id begins with none$/);
  });

  it.each([[undefined], ['']])('selects a sample for %j', (text) => {
    expect(idsFor(text).length).toBeGreaterThanOrEqual(2);
  });
});
