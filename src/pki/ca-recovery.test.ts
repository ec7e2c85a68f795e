import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decideCAs } from './ca-recovery.ts';
import type { AuthorityEvidence, Presence } from './ca-recovery.ts';
import { NO_LIFE } from './fixture.test-data.ts';

const NAMES = {
  cert: 'demo-karmada-cert',
  backup: 'demo-karmada-ca-backup',
  serviceAccountKey: 'demo-karmada-service-account-key',
};
const NOTHING: AuthorityEvidence = {
  certSecret: 'absent',
  backup: 'absent',
  otherSecrets: 'absent',
  serviceAccountKeys: 'agree',
  lifeSigns: NO_LIFE,
};

describe('decideCAs', () => {
  it.each<[string, Partial<AuthorityEvidence>, string]>([
    ['nothing exists', {}, 'create NothingThere'],
    [
      'the cert Secret and the backup exist',
      { certSecret: 'present', backup: 'present' },
      'keep InUse',
    ],
    ['there is no backup yet', { certSecret: 'present' }, 'keep InUse'],
    ['the backup is incomplete', { certSecret: 'present', backup: 'incomplete' }, 'keep InUse'],
    [
      'the backup has other CAs',
      { certSecret: 'present', backup: 'different' },
      'block BackupDiffers',
    ],
    [
      'the backup has another ServiceAccount key',
      { certSecret: 'present', backup: 'present', serviceAccountKeys: 'different' },
      'block BackupDiffers',
    ],
    [
      'the cert Secret is absent and the backup has another ServiceAccount key',
      { backup: 'present', serviceAccountKeys: 'different' },
      'block BackupDiffers',
    ],
    ['only the backup exists', { backup: 'present' }, 'restore FoundInBackup'],
    [
      'the cert Secret is incomplete and the backup exists',
      { certSecret: 'incomplete', backup: 'present' },
      'restore FoundInBackup',
    ],
    [
      'the cert Secret is incomplete and there is no backup',
      { certSecret: 'incomplete' },
      'block AuthorityLost',
    ],
    [
      'the cert Secret is absent and the backup is incomplete',
      { backup: 'incomplete' },
      'block AuthorityLost',
    ],
    ['reading the cert Secret failed', { certSecret: 'unknown' }, 'block ReadFailed'],
    [
      'reading the cert Secret failed and the backup exists',
      { certSecret: 'unknown', backup: 'present' },
      'block ReadFailed',
    ],
    ['reading the backup failed', { backup: 'unknown' }, 'block ReadFailed'],
    ['other Secrets exist', { otherSecrets: 'present' }, 'block ExistingDataFound'],
    ['reading other Secrets failed', { otherSecrets: 'unknown' }, 'block ReadFailed'],
    ...(['etcdWorkload', 'etcdClaims', 'apiserver', 'statusReady'] as const).flatMap(
      (sign): [string, Partial<AuthorityEvidence>, string][] => [
        [
          `${sign} is present`,
          { lifeSigns: { ...NO_LIFE, [sign]: 'present' } },
          'block ExistingDataFound',
        ],
        [
          `${sign} is unknown`,
          { lifeSigns: { ...NO_LIFE, [sign]: 'unknown' } },
          'block ReadFailed',
        ],
      ],
    ),
  ])('decides when %s: %j, %s', (_case, change, expected) => {
    const { decision, reason, message } = decideCAs({ ...NOTHING, ...change }, NAMES);
    expect(`${decision} ${reason}`).toBe(expected);
    if (decision === 'block') expect(message).not.toBe('');
  });

  it('creates CAs only when every part of the evidence is absent', () => {
    const presence = fc.constantFrom<Presence>('present', 'absent', 'unknown');
    const evidence = fc.record({
      certSecret: fc.constantFrom('present', 'absent', 'unknown', 'incomplete' as const),
      backup: fc.constantFrom('present', 'absent', 'unknown', 'incomplete', 'different' as const),
      otherSecrets: presence,
      serviceAccountKeys: fc.constantFrom('agree', 'different'),
      lifeSigns: fc.record({
        etcdWorkload: presence,
        etcdClaims: presence,
        apiserver: presence,
        statusReady: presence,
      }),
    });
    fc.assert(
      fc.property(evidence, (seen) => {
        const { decision } = decideCAs(seen as AuthorityEvidence, NAMES);
        const { lifeSigns, serviceAccountKeys, ...secrets } = seen;
        const all = [...Object.values(secrets), ...Object.values(lifeSigns)];
        const nothing = all.every((item) => item === 'absent') && serviceAccountKeys === 'agree';
        expect(decision === 'create').toBe(nothing);
        if (serviceAccountKeys === 'different') expect(decision).toBe('block');
      }),
      { numRuns: 3000 },
    );
  });
});
