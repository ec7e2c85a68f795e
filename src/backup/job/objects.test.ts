import { beforeAll, describe, expect, it } from '@jest/globals';
import { describeCertificate } from '../../pki/certificate-info.ts';
import { ensureCertificates } from '../../pki/ensure.ts';
import { decode, issuance, ready, readsOf, request } from '../../pki/fixture.test-data.ts';
import type { SecretReads } from '../../pki/types.ts';
import { checkAuthority, checkSameAuthority, checkSameName } from './objects.ts';

const of = (namespace: string, name: string) => ({ namespace, name, uid: `${namespace}-${name}` });

describe('checkSameName', () => {
  it('accepts a Karmada with the name of the backup, also in another namespace', () => {
    checkSameName(of('team', 'demo'), of('team', 'demo'));
    checkSameName(of('team', 'demo'), of('other', 'demo'));
  });

  it('rejects another name, and names the field and both Karmadas', () => {
    expect(() => checkSameName(of('team', 'demo'), of('team', 'new'))).toThrow(
      /^spec\.karmadaRef\.name: the backup is of Karmada team\/demo.*not new/,
    );
  });
});

/** Content of `objects.json`. */
const objectsOf = (reads: SecretReads): Buffer =>
  Buffer.from(
    JSON.stringify({
      secrets: (['ca-backup', 'cert'] as const).map((role) => ({
        name: `demo-karmada-${role}`,
        data: reads[role],
      })),
    }),
  );

describe('CAs of a backup', () => {
  let reads: SecretReads;
  let others: SecretReads;
  const bundle = (from: SecretReads): string => decode(from['ca-backup'], 'ca.crt');
  const fingerprint = (from: SecretReads): string =>
    describeCertificate(bundle(from))?.sha256 ?? '';

  beforeAll(async () => {
    reads = readsOf(ready(await ensureCertificates(request(), issuance())));
    others = readsOf(ready(await ensureCertificates(request(), issuance())));
  });

  it('are identified by the one that issued the certificate of the API server', () => {
    expect(checkAuthority(objectsOf(reads))).toBe(fingerprint(reads));
    expect(() => checkAuthority(objectsOf({ ...reads, cert: others.cert }))).toThrow('no CA');
  });

  it('are accepted if the control plane trusts one of them', () => {
    checkSameAuthority(objectsOf(reads), bundle(reads));
    checkSameAuthority(objectsOf(reads), `${bundle(others)}${bundle(reads)}`);
  });

  it('are accepted otherwise only if a user has confirmed this CA', () => {
    const check = (confirmed?: string): void =>
      checkSameAuthority(objectsOf(reads), bundle(others), confirmed);
    expect(() => check()).toThrow('another CA');
    expect(() => check(fingerprint(others))).toThrow('another CA');
    expect(() => check('')).toThrow('another CA');
    check(fingerprint(reads));
  });
});
