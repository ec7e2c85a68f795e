import { describe, expect, it } from '@jest/globals';
import { FAULTS } from './all-faults.ts';
import { selectFaults } from './select-faults.ts';

describe('selectFaults', () => {
  it('selects by the beginning of the id', () => {
    const ids = selectFaults(FAULTS, 'quota, flag-etcd').map(({ id }) => id);
    expect(ids).toEqual(['flag-etcd', 'quota-pods', 'quota-limits']);
  });

  it('rejects a text that selects no fault', () => {
    expect(() => selectFaults(FAULTS, 'quota,none')).toThrow(/begins with none$/);
  });

  it('selects a sample without texts', () => {
    expect(selectFaults(FAULTS, undefined).length).toBeGreaterThanOrEqual(2);
  });
});
