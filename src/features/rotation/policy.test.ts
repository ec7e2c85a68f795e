import { describe, expect, it } from '@jest/globals';
import { needsAnswers, rotationPolicy } from './policy.ts';
import { DAY, NOW, rotationOf } from './__fixtures__/facts.ts';

const HOUR = 3_600_000;
const specWith = (rotation: object, days?: number) => ({
  certificates: { rotation },
  ...(days !== undefined && { customCertificate: { leafCertValidityDays: days } }),
});

describe('rotationPolicy', () => {
  it.each([
    ['waits for users by default', {}, 'OnRequest', 'Confirm', 0],
    ['begins by itself', specWith({ authorities: 'Automatic' }), 'Automatic', 'Confirm', 0],
    [
      'ends by itself when all certificates of the former CA have ended',
      specWith({ completion: 'Automatic' }),
      'OnRequest',
      'Automatic',
      366 * DAY,
    ],
    [
      'counts the validity period of the spec',
      specWith({ completion: 'Automatic' }, 30),
      'OnRequest',
      'Automatic',
      31 * DAY,
    ],
    [
      'ends after the overlap of the spec',
      specWith({ completion: 'Automatic', overlap: '1h30m' }),
      'OnRequest',
      'Automatic',
      1.5 * HOUR,
    ],
  ] as const)('%s', (_, spec, ...expected) => {
    const found = rotationPolicy(spec);
    expect([found.authorities, found.completion.ca, found.overlapMs.ca]).toEqual(expected);
  });

  it('never ends the trust in a key by itself', () => {
    const { completion } = rotationPolicy(specWith({ completion: 'Automatic' }));
    expect(completion['service-account-key']).toBe('Confirm');
  });
});

describe('needsAnswers', () => {
  const overlap = rotationOf({ phase: 'Overlap', since: NOW });
  const automatic = rotationPolicy(specWith({ completion: 'Automatic', overlap: '2h' }));

  it.each<[string, boolean, ...Parameters<typeof needsAnswers>]>([
    ['in all other phases', true, rotationOf({ phase: 'Switching' }), automatic],
    ['not in an overlap that lasts', false, overlap, automatic],
    ['not before a confirmation', false, overlap, rotationPolicy({})],
    ['after it', true, { ...overlap, completion: 'confirmed' }, rotationPolicy({})],
    ['in an overlap without a time', true, { ...overlap, authority: 'etcd-ca' }, automatic],
    [
      'not for an overlap that only a user ends',
      false,
      { ...overlap, completion: 'awaited' },
      automatic,
    ],
  ])('%s', (_, expected, ...input) => {
    expect(needsAnswers(...input)).toBe(expected);
  });
});
