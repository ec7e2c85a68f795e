import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { describePair } from './certificate-info.ts';
import { ensureCertificates } from './ensure.ts';
import { agingAuthorities, expiries, nextRenewal } from './expiry.ts';
import { INPUTS, NOW, inDays, issuance, ready, request } from './fixture.test-data.ts';
import { certificateHashes } from './hashes.ts';
import type { HashedConsumer } from './hashes.ts';
import { AUTHORITIES, CLIENT_COMPONENTS, LEAVES } from './inventory.ts';
import type { CertificateSetInfo } from './set-info.ts';
import type { AuthorityName, LeafName, PkiInputs } from './types.ts';

const { info: INFO } = ready(await ensureCertificates(request(), issuance()));

const changed = (info: CertificateSetInfo, inputs: PkiInputs = INPUTS): readonly string[] => {
  const [before, after] = [certificateHashes(INPUTS, INFO), certificateHashes(inputs, info)];
  return Object.keys(before).filter(
    (name) => before[name as HashedConsumer] !== after[name as HashedConsumer],
  );
};

const renewed = (name: LeafName): CertificateSetInfo => {
  const certificate = INFO.leaves[name]?.certificate;
  if (certificate === undefined) throw new Error(`no certificate ${name}`);
  const pair = {
    ...INFO.leaves[name],
    keyMatches: true,
    certificate: { ...certificate, sha256: 'x' },
  };
  return { ...INFO, leaves: { ...INFO.leaves, [name]: pair } };
};

const retrusted = (name: AuthorityName): CertificateSetInfo => {
  const authority = INFO.authorities[name];
  if (authority === undefined) throw new Error(`no CA ${name}`);
  const bundle = [...authority.bundle, { ...authority.active, sha256: 'x' }];
  return { ...INFO, authorities: { ...INFO.authorities, [name]: { ...authority, bundle } } };
};

describe('certificateHashes', () => {
  const READ_ONCE = ['estimator-client', 'scheduler-estimator-serving'];

  it.each(LEAVES.filter(({ name }) => !READ_ONCE.includes(name)).map(({ name }) => [name]))(
    'change for no consumer when %s is renewed',
    (name) => {
      expect(changed(renewed(name))).toEqual([]);
    },
  );

  it('change only for consumers that read the certificate only at start', () => {
    expect(changed(renewed('estimator-client'))).toEqual(['scheduler', 'descheduler']);
    expect(changed(renewed('scheduler-estimator-serving'))).toEqual(['scheduler-estimator']);
    expect(changed(retrusted('etcd-ca'))).toEqual([
      'apiserver',
      'etcd',
      'aggregated-apiserver',
      'search',
    ]);
    expect(changed(retrusted('front-proxy-ca'))).toEqual([]);
    const kubeconfigs = [...CLIENT_COMPONENTS, 'scheduler-estimator'];
    expect(changed(retrusted('ca')).toSorted()).toEqual(kubeconfigs.toSorted());
    const { signing = '' } = INFO.serviceAccount ?? {};
    const added = { ...INFO, serviceAccount: { signing, verifying: [signing, 'next'] } };
    expect(changed(added)).toEqual(['apiserver']);
    const rotated = { ...INFO, serviceAccount: { signing: 'next', verifying: [signing, 'next'] } };
    expect(changed(rotated)).toEqual(['apiserver', 'kube-controller-manager']);
  });

  it('of former Pods change when the pair of the operator is renewed, and not with estimator-client', () => {
    const former = (info: CertificateSetInfo): object => certificateHashes(INPUTS, info, true);
    const { scheduler, descheduler, ...others } = certificateHashes(INPUTS, INFO);
    expect(former(INFO)).toMatchObject(others);
    expect(former(INFO)).not.toMatchObject({ scheduler, descheduler });
    expect(former(renewed('estimator-client'))).toEqual(former(INFO));
    const next = former(renewed('karmada'));
    expect(next).toMatchObject(others);
    expect(next).not.toEqual(former(INFO));
  });

  it('of former Pods are those of the first versions, so that a new operator restarts no Pod', () => {
    const { ca } = INFO.authorities;
    const bundle = (ca?.bundle ?? []).map(({ sha256 }) => sha256).sort();
    const content = [
      ['karmada', INFO.leaves.karmada?.certificate?.sha256],
      ['ca', ...bundle],
      ['server', INPUTS.inClusterServer],
    ];
    const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex');
    const { scheduler, descheduler } = certificateHashes(INPUTS, INFO, true);
    expect([scheduler, descheduler]).toEqual([hash, hash]);
  });

  it('change for no consumer when the successor CA becomes active', () => {
    const { ca } = INFO.authorities;
    const { active, successor } = ca ?? {};
    if (active === undefined || successor === undefined) throw new Error('no successor');
    const swapped = { active: successor, bundle: [successor, active] };
    expect(changed({ ...INFO, authorities: { ...INFO.authorities, ca: swapped } })).toEqual([]);
  });

  it('change for consumers of a kubeconfig when the server address changes', () => {
    const inputs = { ...INPUTS, inClusterServer: 'https://other:5443' };
    expect(changed(INFO, inputs).toSorted()).toEqual(CLIENT_COMPONENTS.toSorted());
  });
});

describe('expiry', () => {
  it('sorts leaf certificates before CAs and renews them after two thirds of a year', () => {
    const all = expiries(INPUTS, INFO);
    expect(all).toHaveLength(LEAVES.length + AUTHORITIES.length);
    expect(all[0]?.notAfter).toEqual(inDays(365));
    expect(all.at(-1)?.notAfter).toEqual(inDays(3650));
    const next = nextRenewal(INPUTS, INFO, NOW)?.getTime() ?? 0;
    expect((next - NOW.getTime()) / 86_400_000).toBeCloseTo(243.3, 1);
    expect(nextRenewal(INPUTS, INFO, inDays(300))).toBeUndefined();
  });

  it.each<[string, number, boolean]>([
    ['returns a renewal time that is one millisecond away', -1, true],
    ['returns no renewal time that has come', 0, false],
    ['returns no renewal time that has passed', 1, false],
  ])('%s', (_case, offset, isNext) => {
    // All leaf certificates are of the same time.
    const time = nextRenewal(INPUTS, INFO, NOW)?.getTime() ?? 0;
    const next = nextRenewal(INPUTS, INFO, new Date(time + offset))?.getTime();
    expect(next).toBe(isNext ? time : undefined);
  });

  it('returns the time at which a certificate is reissued for a node', () => {
    const inputs = { ...INPUTS, nodeAddresses: ['198.51.100.1'] };
    const next = nextRenewal(inputs, INFO, NOW)?.getTime() ?? 0;
    expect(next - NOW.getTime()).toBe(3_600_000);
  });

  it('reports a CA after two thirds of its validity period', () => {
    expect(agingAuthorities(INPUTS, INFO, inDays(2400))).toEqual([]);
    const sentences = agingAuthorities(INPUTS, INFO, inDays(2500));
    expect(sentences).toHaveLength(AUTHORITIES.length);
    expect(sentences[0]).toMatch(/^CA \S+: expires at 2036-11-18T.*should be rotated$/);
  });
});

describe('certificate table', () => {
  it('has a consumer for every certificate and unique names', () => {
    const rows = [...LEAVES, ...AUTHORITIES];
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
    for (const { name, uses } of rows) expect([name, uses.length > 0]).toEqual([name, true]);
  });

  it('describes an unreadable pair as unreadable', () => {
    expect(describePair({ certificate: 'x', key: 'y' }, 'z')).toEqual({ keyMatches: false });
  });
});
