import { describe, expect, it } from '@jest/globals';
import { gitVersionIn } from './observe-version.ts';

const body = (gitVersion: unknown): string => JSON.stringify({ major: '1', gitVersion });

describe('gitVersionIn', () => {
  it.each<[string, string, string | undefined]>([
    ['a release', body('v1.35.4'), 'v1.35.4'],
    ['the version of a distribution', body('v1.35.4-gke.1234+k3s1'), 'v1.35.4-gke.1234+k3s1'],
    ['nothing for a text with other characters', body('v1.35.4 <b>\u202e</b>'), undefined],
    ['nothing for more than one line', body('v1.35.4\nReady'), undefined],
    ['nothing for a long text', body(`v1.35.4-${'0'.repeat(1_000)}`), undefined],
    ['nothing for a number', body(1), undefined],
    ['nothing for no object', 'null', undefined],
    ['nothing for no JSON', '<html>', undefined],
  ])('returns %s', (_, text, expected) => {
    expect(gitVersionIn(text)).toBe(expected);
  });
});
