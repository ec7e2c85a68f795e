/** A CA backup Secret that a user restores or edits during a rotation, as the round of the certificates sees it. */
import { describe, expect, it } from '@jest/globals';
import { NOW } from '../../instance/__fixtures__/instance.ts';
import { authorityFacts } from '../../pki/authority-facts.ts';
import { ensureCertificates } from '../../pki/ensure.ts';
import { issuance, ready, readsOf, request } from '../../pki/fixture.test-data.ts';
import type { AuthorityName, SecretReads } from '../../pki/types.ts';
import { rotatedBy } from '../certificates/planned-by-rotation.ts';
import { INPUT, rotatedSecrets } from './__fixtures__/rotated-secrets.ts';
import { EMPTY_RECORD, formatRecord, type Rotation } from './record.ts';

const DATE = new Date(NOW);

async function ensured(reads: SecretReads, record: string): Promise<SecretReads> {
  const planned = rotatedBy(record, new Set(), false);
  const made = request({ inputs: INPUT, reads, ...planned });
  return readsOf(ready(await ensureCertificates(made, issuance(DATE))));
}

const recordOf = (rotation: Rotation): string =>
  formatRecord({ ...EMPTY_RECORD, rotations: [rotation] });

/** What signs and what is trusted, by Secret. */
function trustIn(name: AuthorityName, reads: SecretReads): readonly unknown[] {
  const { active, secrets, probes } = authorityFacts(INPUT, name, reads, DATE) ?? {};
  return [active?.sha256, secrets, [...(probes?.keys() ?? [])]];
}

describe.each<AuthorityName>(['ca', 'etcd-ca', 'front-proxy-ca'])('the CA backup of %s', (name) => {
  const rotated = rotatedSecrets(name);

  it('lets no CA sign that nothing trusts any more when it is restored from an earlier phase', async () => {
    const { completed, rotationIn, ...phases } = await rotated;
    const before = trustIn(name, completed);
    const restored: readonly (readonly [SecretReads, Rotation])[] = [
      [phases.prepared, rotationIn('Preparing')],
      [phases.switched, rotationIn('Preparing', { returns: true })],
    ];
    for (const [earlier, rotation] of restored) {
      const reads = { ...completed, 'ca-backup': earlier['ca-backup'] ?? {} };
      const after = await ensured(reads, recordOf(rotation));
      expect(trustIn(name, after).slice(0, 2)).toEqual(before.slice(0, 2));
    }
  });

  it('replaces no CA of a later rotation', async () => {
    const { completed, overlapped, roots, rotationIn } = await rotated;
    const [, b, c] = roots;
    const next = { from: b, to: c };
    let later = completed;
    for (const phase of ['Preparing', 'Switching', 'Overlap'] as const)
      later = await ensured(later, recordOf({ ...rotationIn(phase), ...next }));
    const reads = { ...later, 'ca-backup': overlapped['ca-backup'] ?? {} };
    const after = await ensured(reads, recordOf(rotationIn('Overlap')));
    expect(trustIn(name, after).slice(0, 2)).toEqual(trustIn(name, later).slice(0, 2));
  });

  it.each(['prepared', 'switched', 'overlapped', 'completed'] as const)(
    'changes no trust with a record that is not valid when Secrets are %s',
    async (phase) => {
      const reads = (await rotated)[phase];
      const after = await ensured(reads, '{');
      expect(trustIn(name, after)).toEqual(trustIn(name, reads));
      expect(await ensured(after, '{')).toEqual(after);
    },
  );
});
