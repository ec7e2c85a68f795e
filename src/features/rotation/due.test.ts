import { describe, expect, it } from '@jest/globals';
import { automaticRequest, dueAuthorities, nextDueAt, type DueInput } from './due.ts';
import { A, B, DAY, NOW } from './__fixtures__/facts.ts';

const VIEW = {
  authorities: [
    { name: 'ca', sha256: A, rotateAt: NOW - DAY },
    { name: 'etcd-ca', sha256: B, rotateAt: NOW },
    { name: 'front-proxy-ca', sha256: B, rotateAt: NOW + DAY },
  ],
} as const;
const AUTOMATIC: DueInput = {
  ...{ policy: { authorities: 'Automatic' }, view: VIEW },
  ...{ isRemote: false, isCustom: false },
};
const executed = (...all: readonly string[]) => ({ executed: all });

describe('dueAuthorities', () => {
  it.each([
    ['those after their time', AUTOMATIC, [], ['ca', 'etcd-ca']],
    ['none on request', { ...AUTOMATIC, policy: { authorities: 'OnRequest' } }, [], []],
    ['none in a remote host cluster', { ...AUTOMATIC, isRemote: true }, [], []],
    ['no custom CA', { ...AUTOMATIC, isCustom: true }, [], ['etcd-ca']],
    ['none without certificates', { ...AUTOMATIC, view: undefined }, [], []],
    [
      'none whose rotation began already, and was aborted',
      AUTOMATIC,
      [automaticRequest('ca', { sha256: A }).recorded],
      ['etcd-ca'],
    ],
    [
      'those whose predecessor was rotated',
      AUTOMATIC,
      [automaticRequest('ca', { sha256: B }).recorded],
      ['ca', 'etcd-ca'],
    ],
  ] as const)('are %s', (_, input, done, expected) => {
    expect(dueAuthorities(input, executed(...done), NOW)).toEqual(expected);
  });
});

describe('nextDueAt', () => {
  it('is the first time that has not passed', () => {
    expect(nextDueAt(AUTOMATIC, NOW)).toBe(NOW + DAY);
    expect(nextDueAt(AUTOMATIC, NOW + DAY)).toBe(Infinity);
    expect(nextDueAt({ ...AUTOMATIC, policy: { authorities: 'OnRequest' } }, NOW)).toBe(Infinity);
  });
});
