import { describe, expect, it } from '@jest/globals';
import { parseDuration } from './duration.ts';

describe('parseDuration', () => {
  it.each([
    ['15s', 15_000],
    ['1m30s', 90_000],
    ['500ms', 500],
    ['1.5h', 5_400_000],
  ])('parses the duration %s', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });
});
