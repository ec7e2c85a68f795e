import { describe, expect, it } from '@jest/globals';
import { endsSoon } from './short-grace.ts';

describe('endsSoon', () => {
  const deletionTimestamp = '2026-01-02T03:04:05Z';

  it.each([
    ['a Pod that runs', {}, false],
    [
      'a Pod with its own grace period',
      { deletionTimestamp, deletionGracePeriodSeconds: 75 },
      false,
    ],
    ['a Pod with a short grace period', { deletionTimestamp, deletionGracePeriodSeconds: 1 }, true],
    ['a Pod without a grace period', { deletionTimestamp }, true],
  ])('is right for %s', (_, metadata, expected) => {
    expect(endsSoon({ name: 'api', ...metadata })).toBe(expected);
  });
});
