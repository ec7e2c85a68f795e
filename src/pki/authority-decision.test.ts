import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decideAuthorities } from './authority-decision.ts';
import type { AuthorityEvidence, Presence } from './authority-decision.ts';
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

describe('decideAuthorities', () => {
  it.each<[string, Partial<AuthorityEvidence>, string]>([
    ['nothing there', {}, 'create NothingThere'],
    ['in use', { certSecret: 'present', backup: 'present' }, 'keep InUse'],
    ['in use, no backup yet', { certSecret: 'present' }, 'keep InUse'],
    ['in use, backup damaged', { certSecret: 'present', backup: 'incomplete' }, 'keep InUse'],
    ['two different ones', { certSecret: 'present', backup: 'different' }, 'hold BackupDiffers'],
    [
      'in use, with another ServiceAccount key than the backup',
      { certSecret: 'present', backup: 'present', serviceAccountKeys: 'different' },
      'hold BackupDiffers',
    ],
    [
      'deleted, with another ServiceAccount key than the backup',
      { backup: 'present', serviceAccountKeys: 'different' },
      'hold BackupDiffers',
    ],
    ['deleted, backup there', { backup: 'present' }, 'restore FoundInBackup'],
    [
      'damaged, backup there',
      { certSecret: 'incomplete', backup: 'present' },
      'restore FoundInBackup',
    ],
    ['damaged, no backup', { certSecret: 'incomplete' }, 'hold AuthorityLost'],
    ['deleted, backup damaged', { backup: 'incomplete' }, 'hold AuthorityLost'],
    ['read failed', { certSecret: 'unknown' }, 'hold ReadFailed'],
    ['read failed, backup there', { certSecret: 'unknown', backup: 'present' }, 'hold ReadFailed'],
    ['backup unread', { backup: 'unknown' }, 'hold ReadFailed'],
    ['other Secrets left', { otherSecrets: 'present' }, 'hold SignsOfLife'],
    ['other Secrets unread', { otherSecrets: 'unknown' }, 'hold ReadFailed'],
    ...(['etcdWorkload', 'etcdClaims', 'apiserver', 'statusReady'] as const).flatMap(
      (sign): [string, Partial<AuthorityEvidence>, string][] => [
        [`${sign} lives`, { lifeSigns: { ...NO_LIFE, [sign]: 'present' } }, 'hold SignsOfLife'],
        [`${sign} unread`, { lifeSigns: { ...NO_LIFE, [sign]: 'unknown' } }, 'hold ReadFailed'],
      ],
    ),
  ])('%s', (_case, change, expected) => {
    const { decision, reason, message } = decideAuthorities({ ...NOTHING, ...change }, NAMES);
    expect(`${decision} ${reason}`).toBe(expected);
    if (decision === 'hold') expect(message).not.toBe('');
  });

  it('no evidence but a complete absence of everything ever makes an authority', () => {
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
        const { decision } = decideAuthorities(seen as AuthorityEvidence, NAMES);
        const { lifeSigns, serviceAccountKeys, ...secrets } = seen;
        const all = [...Object.values(secrets), ...Object.values(lifeSigns)];
        const nothing = all.every((item) => item === 'absent') && serviceAccountKeys === 'agree';
        expect(decision === 'create').toBe(nothing);
        if (serviceAccountKeys === 'different') expect(decision).toBe('hold');
      }),
      { numRuns: 3000 },
    );
  });
});
