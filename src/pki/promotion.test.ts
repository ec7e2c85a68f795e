import { describe, expect, it } from '@jest/globals';
import { describeCertificate } from './certificate-info.ts';
import { ensureCertificates } from './ensure.ts';
import { INPUTS, NOW, decode, issuance, ready, readsOf, request } from './fixture.test-data.ts';
import type { Ready } from './fixture.test-data.ts';
import { issueCertificates } from './issue.ts';
import { makeKey } from './keys.ts';
import { privateKeyPem, publicKeyPem } from './pem.ts';
import { planCertificates } from './plan.ts';
import { withPromotedSuccessor } from './promotion.ts';
import { parseSecrets, readCertificateSet } from './secrets-read.ts';
import { buildSecrets } from './secrets.ts';
import type { SecretContent } from './secrets.ts';
import { withPromotedKey } from './service-account-keys.ts';
import { describeCertificateSet } from './set-info.ts';
import { certificateBlocks } from '../untrusted/pem.ts';
import type { AuthorityName, CertificateSet, SecretReads, SecretRole } from './types.ts';

const AUTHORITIES: readonly AuthorityName[] = ['ca', 'etcd-ca', 'front-proxy-ca'];

const ensured = (reads: SecretReads): ReturnType<typeof ensureCertificates> =>
  ensureCertificates(request({ reads }), issuance());

const INSTALLED = ready(await ensureCertificates(request(), issuance()));
const BEFORE = readsOf(INSTALLED);

const setOf = async (reads: SecretReads): Promise<CertificateSet> =>
  readCertificateSet(reads, await parseSecrets(INPUTS, reads)).set;

/** Secrets with the certificates of a changed set. */
async function secretsAfter(set: CertificateSet): Promise<readonly SecretContent[]> {
  const info = await describeCertificateSet(set);
  const plan = planCertificates(INPUTS, info, { now: NOW });
  return buildSecrets(INPUTS, await issueCertificates(INPUTS, { set, info, plan }, issuance()));
}

/** What the Secrets contain after each write, in the given order. */
function interrupted(
  before: SecretReads,
  secrets: readonly SecretContent[],
  order: readonly SecretRole[],
): readonly SecretReads[] {
  const rank = ({ role }: SecretContent): number => [...order, role].indexOf(role);
  const writes = secrets.toSorted((one, other) => rank(one) - rank(other));
  return writes.map((_, count) => ({
    ...before,
    ...Object.fromEntries(writes.slice(0, count + 1).map(({ role, data }) => [role, data])),
  }));
}

const hashOf = (pem: string): string => describeCertificate(pem)?.sha256 ?? 'unreadable';

const hashes = (result: Ready, name: AuthorityName): readonly string[] =>
  certificateBlocks(decode(readsOf(result).cert, `${name}.crt`)).map(hashOf);

const keysOf = (result: Ready, names: readonly string[]): readonly string[] =>
  names
    .map((name) => decode(readsOf(result)['ca-backup'], `${name}.key`))
    .filter((key) => key !== '')
    .toSorted();

const ORDERS: readonly (readonly SecretRole[])[] = [
  ['cert', 'etcd-cert', 'admin-config'],
  ['ca-backup', 'service-account-key', 'cert'],
];
const lastOf = ([first = 'cert']: readonly SecretRole[]): SecretRole =>
  first === 'cert' ? 'ca-backup' : 'cert';

describe('promotion of a successor CA', () => {
  const promoted = async (names: readonly AuthorityName[]): Promise<readonly SecretContent[]> => {
    const set = await setOf(BEFORE);
    const entries = Object.entries(set.authorities).map(([name, authority]) => [
      name,
      names.some((one) => one === name) ? withPromotedSuccessor(authority) : authority,
    ]);
    return secretsAfter({ ...set, authorities: Object.fromEntries(entries) });
  };

  it.each(ORDERS)('keeps both CAs and keys after each write when %s is first', async (...order) => {
    const secrets = await promoted(AUTHORITIES);
    const last = lastOf(order);
    const ordered = secrets.toSorted(
      (one, other) => Number(one.role === last) - Number(other.role === last),
    );
    for (const reads of interrupted(BEFORE, ordered, order)) {
      const result = ready(await ensured(reads));
      for (const name of AUTHORITIES) {
        expect(hashes(result, name).toSorted()).toEqual(hashes(INSTALLED, name).toSorted());
        const places = [name, `${name}-successor`, `${name}-retired`];
        expect(keysOf(result, places)).toEqual(keysOf(INSTALLED, places));
        const { active } = result.info.authorities[name] ?? {};
        // The CA in use does not change because of an interruption.
        const used = certificateBlocks(decode(reads.cert, `${name}.crt`)).map(hashOf);
        expect(active?.sha256).toBe(used[0]);
      }
      expect(result.plan.successors).toEqual([]);
      const next = ready(await ensured(readsOf(result)));
      expect(readsOf(next)).toEqual(readsOf(result));
    }
  });

  it('keeps the promoted CA and the key of its predecessor when it is complete', async () => {
    const secrets = await promoted(['ca']);
    const reads = {
      ...BEFORE,
      ...Object.fromEntries(secrets.map(({ role, data }) => [role, data])),
    };
    const result = ready(await ensured(reads));
    expect(result.secrets.map(({ role, data }) => [role, data])).toEqual(
      secrets.map(({ role, data }) => [role, data]),
    );
    expect(hashes(result, 'ca')).toEqual(hashes(INSTALLED, 'ca').toReversed());
    expect(hashes(result, 'etcd-ca')).toEqual(hashes(INSTALLED, 'etcd-ca'));
    expect(result.info.authorities.ca?.retired?.sha256).toBe(hashes(INSTALLED, 'ca')[0]);
  });

  it('blocks issuing when the backup has a third private key', async () => {
    const secrets = await promoted(['ca']);
    const saved = secrets.find(({ role }) => role === 'ca-backup')?.data ?? {};
    const other = readsOf(ready(await ensureCertificates(request(), issuance())))['ca-backup'];
    if (typeof other !== 'object') throw new Error('no backup');
    for (const place of ['successor', 'retired']) {
      const third = {
        ...saved,
        'ca.crt': Buffer.from(decode(saved, 'ca.crt') + decode(other, 'ca.crt')).toString('base64'),
        [`ca-${place}.crt`]: Buffer.from(
          certificateBlocks(decode(other, 'ca.crt'))[0] ?? '',
        ).toString('base64'),
        [`ca-${place}.key`]: other['ca.key'] ?? '',
      };
      const result = await ensured({ ...BEFORE, 'ca-backup': third });
      expect(result).toMatchObject({ outcome: 'blocked', reason: 'BackupDiffers' });
    }
  });

  it('blocks issuing when the CA of the backup is not trusted', async () => {
    const secrets = await promoted(['ca']);
    const saved = secrets.find(({ role }) => role === 'ca-backup')?.data ?? {};
    const [own = ''] = certificateBlocks(decode(BEFORE.cert, 'ca.crt'));
    const cert = { ...(BEFORE.cert as object), 'ca.crt': Buffer.from(own).toString('base64') };
    const result = await ensured({ ...BEFORE, cert, 'ca-backup': saved });
    expect(result).toMatchObject({ outcome: 'blocked', reason: 'BackupDiffers' });
  });

  it('blocks issuing when a backup with another CA is incomplete', async () => {
    const other = readsOf(ready(await ensureCertificates(request(), issuance())))['ca-backup'];
    if (typeof other !== 'object') throw new Error('no backup');
    const result = await ensured({ ...BEFORE, 'ca-backup': { ...other, 'etcd-ca.key': '' } });
    expect(result).toMatchObject({ outcome: 'blocked', reason: 'BackupDiffers' });
  });

  it('changes nothing without a successor', async () => {
    const { ca } = (await setOf({ ...BEFORE, 'ca-backup': 'absent' })).authorities;
    if (ca === undefined) throw new Error('no CA');
    expect(withPromotedSuccessor(ca)).toBe(ca);
  });
});

describe('change of the ServiceAccount signing key', () => {
  const NAMES = ['service-account', 'service-account-successor', 'service-account-retired'];

  it.each(ORDERS)('keeps both keys after each write when %s is first', async (...order) => {
    const next = await makeKey('ec-p256');
    const set = await setOf(BEFORE);
    const { serviceAccount: keys } = set;
    if (keys === undefined) throw new Error('no keys');
    const verifying = [...keys.verifying, publicKeyPem(next)];
    const successor = privateKeyPem(next);
    const prepared = { ...keys, verifying, successor };
    const first = await secretsAfter({ ...set, serviceAccount: prepared });
    const before = {
      ...BEFORE,
      ...Object.fromEntries(first.map(({ role, data }) => [role, data])),
    };
    const kept = ready(await ensured(before));
    expect(readsOf(kept)).toEqual(before);
    const promoted = withPromotedKey(prepared);
    if (promoted === undefined) throw new Error('no successor');
    const secrets = await secretsAfter({ ...set, serviceAccount: promoted });
    const roles: readonly SecretRole[] =
      order[0] === 'cert' ? ['service-account-key', 'ca-backup'] : order;
    for (const reads of interrupted(before, secrets, roles)) {
      const result = ready(await ensured(reads));
      expect(keysOf(result, NAMES)).toEqual([keys.signing, successor].toSorted());
      const after = readsOf(result);
      const key = 'service-account.key';
      expect(decode(after['service-account-key'], key)).toBe(
        decode(reads['service-account-key'], key),
      );
      for (const role of ['service-account-key', 'ca-backup'] as const)
        for (const pem of verifying)
          expect(decode(after[role], 'service-account.pub')).toContain(pem);
      expect(readsOf(ready(await ensured(after)))).toEqual(after);
    }
  });
});
