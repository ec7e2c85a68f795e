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
const withSettings = (settings: object): DueInput => ({
  snapshot: settings as object as DueInput['snapshot'],
  view: VIEW,
});
const certificates = { rotation: { authorities: 'Automatic' } };
const AUTOMATIC = withSettings({ spec: { certificates } });
const ON_REQUEST = withSettings({ spec: {} });
const customCertificate = { apiServerCACert: { name: 'ca', namespace: 'team' } };
const CUSTOM = withSettings({ spec: { certificates, customCertificate } });
const OFFERED: DueInput = { ...CUSTOM, view: { ...VIEW, customOffer: B } };
const executed = (...all: readonly string[]) => ({ executed: all });

describe('dueAuthorities', () => {
  it.each([
    ['those after their time', AUTOMATIC, [], ['ca', 'etcd-ca']],
    ['none on request', ON_REQUEST, [], []],
    ['no custom CA, however old it is', CUSTOM, [], ['etcd-ca']],
    ['a custom CA when its Secret has another one', OFFERED, [], ['ca', 'etcd-ca']],
    [
      'no custom CA whose rotation to the same one was aborted',
      OFFERED,
      [automaticRequest('ca', { sha256: B }).recorded],
      ['etcd-ca'],
    ],
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
    expect(nextDueAt(ON_REQUEST, NOW)).toBe(Infinity);
    expect(nextDueAt(OFFERED, NOW)).toBe(NOW + DAY);
  });
});
