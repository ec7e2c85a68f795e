import { describe, expect, it } from '@jest/globals';
import { collectorSettings } from './collector.ts';

const gibibytes = (count: number): number => count * 2 ** 30;

describe('collectorSettings', () => {
  it.each([
    ['two processors', 6, 2, '1024MiB'],
    ['much memory', 64, 2, '4096MiB'],
    ['many processors', 64, 31, '1024MiB'],
  ])('gives each process a share of half of the memory: %s', (_, memory, processors, limit) => {
    expect(collectorSettings({ memory: gibibytes(memory), processors, environment: {} })).toEqual({
      GOGC: 'off',
      GOMEMLIMIT: limit,
    });
  });

  it.each([
    ['little memory', 4, 2],
    ['many processors for the memory', 16, 32],
  ])('sets nothing: %s', (_, memory, processors) => {
    expect(collectorSettings({ memory: gibibytes(memory), processors, environment: {} })).toEqual(
      {},
    );
  });

  it.each([{ GOGC: '50' }, { GOMEMLIMIT: '1GiB' }])('keeps the settings %o', (environment) => {
    expect(collectorSettings({ memory: gibibytes(16), processors: 2, environment })).toEqual({});
  });
});
