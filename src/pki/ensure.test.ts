/** @tier test */
import { X509Certificate, createPublicKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { describeCertificate } from './certificate-info.ts';
import { ensureCertificates } from './ensure.ts';
import type { EnsureRequest } from './ensure.ts';
import { storedKeys } from './__fixtures__/stored-keys.ts';
import {
  INPUTS,
  NOW,
  NO_LIFE,
  allAbsent,
  countingRandom,
  decode,
  inDays,
  issuance,
  ready,
  readsOf,
  request,
} from './fixture.test-data.ts';
import { nextRenewal } from './expiry.ts';
import type { Ready } from './fixture.test-data.ts';
import { certificateHashes } from './hashes.ts';
import { AUTHORITIES, CLIENT_COMPONENTS, LEAVES } from './inventory.ts';
import { makeKey } from './keys.ts';
import { certificateBlocks } from '../untrusted/pem.ts';
import { lostSuccessors } from './successors.ts';
import {
  SERVING_COMPONENTS,
  type PkiInputs,
  type SecretData,
  type SecretReads,
  type SecretRole,
} from './types.ts';
import { selfSigned, signedBy } from './x509.ts';

const install = async (change: Partial<EnsureRequest> = {}): Promise<Ready> =>
  ready(await ensureCertificates(request(change), issuance()));

const again = async (
  reads: SecretReads,
  change: Partial<EnsureRequest> = {},
  now: Date = NOW,
): Promise<Ready> => ready(await ensureCertificates(request({ reads, ...change }), issuance(now)));

const dataOf = (result: Ready, role: SecretRole): SecretData =>
  result.secrets.find((secret) => secret.role === role)?.data ?? {};

const issued = ({ plan }: Ready): readonly string[] =>
  plan.leaves.filter(({ action }) => action === 'issue').map(({ name }) => name);

const hashOf = (pem: string): string => describeCertificate(pem)?.sha256 ?? 'unreadable';

const authorityHash = (result: Ready): string => hashOf(decode(dataOf(result, 'cert'), 'ca.crt'));

const same = (one: SecretData, other: SecretData): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const pairKeys = (...names: string[]): readonly string[] =>
  names.flatMap((name) => [`${name}.crt`, `${name}.key`]);

describe('ensureCertificates for a new control plane', () => {
  it('creates all Secrets, the CA backup first', async () => {
    const result = await install();
    const shown = result.secrets.map(({ role, name, data }) => [
      role,
      name,
      Object.keys(data).sort(),
    ]);
    const tls = pairKeys('tls');
    const component = ['ca.crt', 'karmada.config', ...tls];
    const authorities = AUTHORITIES.map(({ name }) => name);
    const expected: Partial<Record<SecretRole, readonly string[]>> = {
      'ca-backup': [
        ...pairKeys(...authorities, ...authorities.map((name) => `${name}-successor`)),
        'service-account.key',
        'service-account.pub',
      ],
      'service-account-key': ['service-account.key', 'service-account.pub'],
      cert: [...storedKeys('cert'), 'signing-ca.crt'],
      'etcd-cert': storedKeys('etcd-cert'),
      'estimator-client': ['ca.crt', ...tls],
      'metrics-client': ['ca.crt', ...tls],
      ...Object.fromEntries(SERVING_COMPONENTS.map((name) => [`${name}-cert`, tls])),
      ...Object.fromEntries(CLIENT_COMPONENTS.map((name) => [`${name}-config`, component])),
      'admin-config': ['karmada.config', 'kubeconfig'],
    };
    expect(shown).toEqual(
      Object.entries(expected).map(([role, keys]) => [
        role,
        `demo-karmada-${role}`,
        [...keys].sort(),
      ]),
    );
    expect(new Set(result.secrets.map(({ mode }) => mode))).toEqual(new Set(['create']));
  });

  it('creates no etcd certificates when etcd is external', async () => {
    const inputs: PkiInputs = { ...INPUTS, etcd: 'external' };
    const result = await install({ inputs });
    expect(result.secrets.some(({ role }) => role === 'etcd-cert')).toBe(false);
    const keys = Object.keys(dataOf(result, 'cert'));
    expect(keys).toEqual(
      Object.keys(dataOf(await install(), 'cert')).filter((key) => !key.startsWith('etcd')),
    );
  });

  it('issues every leaf certificate with the CA and the usages of the table', async () => {
    const { info, plan } = await install();
    for (const { name } of plan.leaves)
      expect([name, info.leaves[name]?.keyMatches, info.leaves[name]?.signer]).toEqual([
        name,
        true,
        expect.stringMatching(/^[0-9a-f]{64}$/),
      ]);
  });

  it('writes active and successor CA into bundles, and only the active CA into the signing file', async () => {
    const result = await install();
    const cert = dataOf(result, 'cert');
    for (const name of ['ca', 'etcd-ca', 'front-proxy-ca']) {
      const [active, successor, ...others] = certificateBlocks(decode(cert, `${name}.crt`));
      const kept = decode(dataOf(result, 'ca-backup'), `${name}-successor.crt`);
      expect([name, successor, others]).toEqual([name, kept, []]);
      expect(hashOf(active ?? '')).not.toBe(hashOf(kept));
      const names = [active, successor].map((pem) => describeCertificate(pem ?? '')?.commonName);
      expect(names[1]).toMatch(new RegExp(`^${names[0] ?? ''}-[0-9a-f]{8}$`));
    }
    expect(certificateBlocks(decode(cert, 'signing-ca.crt'))).toHaveLength(1);
    expect(hashOf(decode(cert, 'signing-ca.crt'))).toBe(authorityHash(result));
  });

  it('omits the admin kubeconfig while the external address is unknown', async () => {
    const result = await install({ inputs: { ...INPUTS, externalServer: 'unknown' } });
    expect(result.secrets.some(({ role }) => role === 'admin-config')).toBe(false);
  });

  it('returns no private key in info and plan', async () => {
    const { info, plan } = await install();
    expect(JSON.stringify({ info, plan })).not.toContain('PRIVATE');
  });
});

describe('ensureCertificates for an existing control plane', () => {
  it('returns identical Secrets and issues nothing when no certificate is due', async () => {
    const first = await install();
    const second = await again(readsOf(first));
    expect(second.secrets.map(({ role, data }) => [role, data])).toEqual(
      first.secrets.map(({ role, data }) => [role, data]),
    );
    expect(issued(second)).toEqual([]);
    expect(second.plan.successors).toEqual([]);
    expect(new Set(second.secrets.map(({ mode }) => mode))).toEqual(new Set(['apply']));
  });

  it('keeps the CAs when the previous run stopped after any number of writes', async () => {
    const first = await install();
    for (let written = 1; written <= first.secrets.length; written += 1) {
      const roles = new Map(first.secrets.slice(0, written).map(({ role, data }) => [role, data]));
      const reads = { ...allAbsent(INPUTS), ...Object.fromEntries(roles) };
      const next = await again(reads);
      expect([written, authorityHash(next)]).toEqual([written, authorityHash(first)]);
      const key = (result: Ready): unknown =>
        dataOf(result, 'service-account-key')['service-account.key'];
      expect([written, key(next)]).toEqual([written, key(first)]);
    }
  });

  it('restores a deleted N(cert) with the same CAs', async () => {
    const first = await install();
    const reads = { ...readsOf(first), cert: 'absent' as const };
    const living = { ...NO_LIFE, apiserver: 'present' as const };
    const next = await again(reads, { lifeSigns: living });
    expect(next.decision.decision).toBe('restore');
    expect(authorityHash(next)).toBe(authorityHash(first));
    expect(dataOf(next, 'cert')['ca.crt']).toBe(dataOf(first, 'cert')['ca.crt']);
    const onlyThere = LEAVES.filter(
      ({ stored }) => stored.length > 0 && stored.every(({ secret }) => secret === 'cert'),
    );
    expect(issued(next)).toEqual(onlyThere.map(({ name }) => name));
  });

  it('recreates a deleted backup without further CAs, and restarts nothing', async () => {
    const first = await install();
    const next = await again({ ...readsOf(first), 'ca-backup': 'absent' });
    expect(authorityHash(next)).toBe(authorityHash(first));
    expect(next.plan.successors).toEqual([]);
    expect(dataOf(next, 'cert')).toEqual(dataOf(first, 'cert'));
    expect(certificateHashes(INPUTS, next.info)).toEqual(certificateHashes(INPUTS, first.info));
    expect(dataOf(next, 'ca-backup')['ca.key']).toBe(dataOf(first, 'ca-backup')['ca.key']);
    expect(lostSuccessors(INPUTS, first.info)).toEqual([]);
    expect(lostSuccessors(INPUTS, next.info)).toHaveLength(3);
    expect(lostSuccessors(INPUTS, next.info)[0]).toBe(
      'CA ca: clients trust a second CA whose private key is missing; restore ca-successor.crt and ca-successor.key from a backup of Secret demo-karmada-ca-backup',
    );
    expect(lostSuccessors({ ...INPUTS, customAuthority: true }, next.info)).toHaveLength(2);
  });

  it.each(['ca-successor.crt', 'front-proxy-ca-successor.crt', 'etcd-ca-successor.crt'])(
    'restores %s from the bundle that contains it',
    async (file) => {
      const first = await install();
      for (const damage of [undefined, Buffer.from('edited').toString('base64')]) {
        const { [file]: saved, ...others } = dataOf(first, 'ca-backup');
        const backup = damage === undefined ? others : { ...others, [file]: damage };
        const next = await again({ ...readsOf(first), 'ca-backup': backup });
        expect(dataOf(next, 'ca-backup')[file]).toBe(saved);
        expect(lostSuccessors(INPUTS, next.info)).toEqual([]);
        expect(certificateHashes(INPUTS, next.info)).toEqual(certificateHashes(INPUTS, first.info));
      }
    },
  );

  it('uses the successor CAs again when a user restores them into the backup', async () => {
    const first = await install();
    const lost = await again({ ...readsOf(first), 'ca-backup': 'absent' });
    const backup = { ...dataOf(first, 'ca-backup'), ...dataOf(lost, 'ca-backup') };
    const next = await again({ ...readsOf(lost), 'ca-backup': backup });
    expect(next.secrets.map(({ role, data }) => [role, data])).toEqual(
      first.secrets.map(({ role, data }) => [role, data]),
    );
    expect(lostSuccessors(INPUTS, next.info)).toEqual([]);
  });

  it('reissues only the affected certificate when a SAN of the spec changes', async () => {
    const first = await install();
    const extraSans = { ...INPUTS.extraSans, apiServer: ['api.example.org'] };
    const next = await again(readsOf(first), { inputs: { ...INPUTS, extraSans } });
    expect(issued(next)).toEqual(['apiserver']);
    const back = await again(readsOf(next));
    expect(back.plan.leaves.find(({ name }) => name === 'apiserver')?.message).toBe(
      'certificate apiserver: it contains the SANs api.example.org, which are no longer required',
    );
  });

  it('issues and omits only the client certificate for metrics when its field changes', async () => {
    const without = { inputs: { ...INPUTS, metricsClient: false } };
    const first = await install(without);
    expect(first.secrets.some(({ role }) => role === 'metrics-client')).toBe(false);
    const next = await again({ ...allAbsent(INPUTS), ...readsOf(first) });
    expect(issued(next)).toEqual(['metrics-client']);
    const changed = next.secrets.filter(({ role, data }) => !same(dataOf(first, role), data));
    expect(changed.map(({ role, mode }) => [role, mode])).toEqual([['metrics-client', 'create']]);
    const [{ data } = { data: {} }] = changed;
    expect(decode(data, 'ca.crt')).toBe(decode(dataOf(first, 'cert'), 'ca.crt'));
    const { subject, ca } = new X509Certificate(decode(data, 'tls.crt'));
    // A group such as system:masters would be an organization.
    expect([subject, ca]).toEqual(['CN=system:karmada:metrics', false]);
    const off = await again(readsOf(next), without);
    expect(off.secrets.every(({ role, data: kept }) => same(dataOf(first, role), kept))).toBe(true);
  });

  it.each<[string, number]>([
    ['20 minutes', 20 / 1440],
    ['1 minute', 1 / 1440],
    ['1 day', 1],
  ])('renews no new certificate that is valid for %s before half of that time', async (_, days) => {
    const inputs = { ...INPUTS, leafValidityDays: days };
    const first = await install({ inputs });
    const next = await again(readsOf(first), { inputs }, inDays(days / 2));
    expect(issued(next)).toEqual([]);
    expect(issued(await again(readsOf(first), { inputs }, inDays(days * 0.7)))).not.toEqual([]);
    const renewal = nextRenewal(inputs, first.info, NOW)?.getTime() ?? 0;
    expect(renewal).toBeGreaterThan(inDays(days / 2).getTime());
    const longer = { ...INPUTS, leafValidityDays: days * 2 };
    expect(issued(await again(readsOf(first), { inputs: longer }))).not.toEqual([]);
  });

  it('renews all leaf certificates but no CA after two thirds of the validity period', async () => {
    const first = await install();
    const next = await again(readsOf(first), {}, inDays(250));
    expect(issued(next)).toHaveLength(LEAVES.length);
    expect(authorityHash(next)).toBe(authorityHash(first));
  });
});

describe('ensureCertificates with missing or contradictory Secrets', () => {
  it.each<SecretRole>(['cert', 'ca-backup', 'admin-config', 'webhook-cert', 'scheduler-config'])(
    'blocks issuing when reading %s fails',
    async (role) => {
      const first = await install();
      for (const read of ['unknown', undefined] as const) {
        const reads = { ...readsOf(first), [role]: read };
        const result = await ensureCertificates(request({ reads }), issuance());
        expect(result).toMatchObject({ outcome: 'blocked', reason: 'ReadFailed' });
      }
    },
  );

  it('blocks issuing when both CA Secrets are absent but etcd data exists', async () => {
    const lifeSigns = { ...NO_LIFE, etcdClaims: 'present' as const };
    const result = await ensureCertificates(request({ lifeSigns }), issuance());
    expect(result).toMatchObject({ outcome: 'blocked', reason: 'ExistingDataFound' });
  });

  it('blocks issuing when cert Secret and backup contain different CAs', async () => {
    const [one, other] = [readsOf(await install()), readsOf(await install())];
    const reads = { ...one, 'ca-backup': other['ca-backup'] };
    const result = await ensureCertificates(request({ reads }), issuance());
    expect(result).toMatchObject({ outcome: 'blocked', reason: 'BackupDiffers' });
  });

  it.each<[string, (reads: SecretReads) => SecretReads]>([
    ['exists', (reads) => reads],
    ['is absent', (reads) => ({ ...reads, cert: 'absent' })],
  ])('keeps both ServiceAccount keys when they differ and N(cert) %s', async (_, change) => {
    const [one, other] = [readsOf(await install()), readsOf(await install())];
    const reads = change({ ...one, 'service-account-key': other['service-account-key'] });
    const result = await ensureCertificates(request({ reads }), issuance());
    expect(result).toMatchObject({
      outcome: 'blocked',
      reason: 'BackupDiffers',
      message: expect.stringMatching(/demo-karmada-service-account-key .* demo-karmada-ca-backup/s),
    });
  });

  it('restores a missing ServiceAccount key from the other Secret', async () => {
    const first = await install();
    const backup = dataOf(first, 'ca-backup');
    const authorities = Object.fromEntries(
      Object.entries(backup).filter(([key]) => !key.startsWith('service-account.')),
    );
    const reads = readsOf(first);
    for (const change of [
      { 'ca-backup': authorities },
      { 'service-account-key': 'absent' },
    ] as const) {
      const next = await again({ ...reads, ...change });
      expect(dataOf(next, 'ca-backup')).toEqual(backup);
      expect(dataOf(next, 'service-account-key')).toEqual(dataOf(first, 'service-account-key'));
    }
  });

  it('restores a damaged ServiceAccount key, or blocks issuing when there is no other', async () => {
    const first = await install();
    const damaged = { 'service-account.key': 'AAAA' };
    const reads = { ...readsOf(first), 'service-account-key': damaged };
    const restored = await again(reads);
    expect(dataOf(restored, 'service-account-key')).toEqual(dataOf(first, 'service-account-key'));
    const result = await ensureCertificates(
      request({ reads: { ...reads, 'ca-backup': 'absent' } }),
      issuance(),
    );
    expect(result).toMatchObject({ outcome: 'blocked', reason: 'ServiceAccountKeyLost' });
  });
});

/** Secrets of the upstream operator: one pair for all uses, and unknown keys that users added. */
async function upstreamReads(etcd: 'local' | 'external'): Promise<SecretReads> {
  const context = { now: inDays(-10), random: countingRandom() };
  const key = (): ReturnType<typeof makeKey> => makeKey('ec-p256');
  const files: Record<string, string> = { 'foreign.crt': '', 'foreign.key': '' };
  const authority = async (name: string, commonName: string): Promise<void> => {
    const pair = await selfSigned(commonName, await key(), context);
    files[`${name}.crt`] = pair.certificate;
    files[`${name}.key`] = pair.key;
  };
  const leaf = async (name: string, signer: string, commonName: string): Promise<void> => {
    const by = { certificate: files[`${signer}.crt`] ?? '', key: files[`${signer}.key`] ?? '' };
    const usages = ['serverAuth', 'clientAuth'] as const;
    const certified = {
      subject: { commonName },
      validityDays: 365,
      leaf: { usages, dns: [], ips: [] },
    };
    const pair = await signedBy(by, certified, await key(), context);
    files[`${name}.crt`] = pair.certificate;
    files[`${name}.key`] = pair.key;
  };
  await authority('ca', 'karmada');
  await authority('front-proxy-ca', 'front-proxy-ca');
  await leaf('karmada', 'ca', 'system:admin');
  await leaf('apiserver', 'ca', 'karmada-apiserver');
  await leaf('front-proxy-client', 'front-proxy-ca', 'front-proxy-client');
  if (etcd === 'local') {
    await authority('etcd-ca', 'karmada-etcd-ca');
    await leaf('etcd-server', 'etcd-ca', 'karmada-etcd-server');
    await leaf('etcd-client', 'etcd-ca', 'karmada-etcd-client');
  }
  const data = (only: (name: string) => boolean): SecretData =>
    Object.fromEntries(
      Object.entries(files)
        .filter(([name]) => only(name))
        .map(([name, text]) => [name, Buffer.from(text).toString('base64')]),
    );
  const cert = data(() => true);
  const webhook = { 'tls.crt': cert['karmada.crt'] ?? '', 'tls.key': cert['karmada.key'] ?? '' };
  const config = { 'karmada.config': Buffer.from('kind: Config').toString('base64') };
  return {
    ...allAbsent({ ...INPUTS, etcd }),
    cert,
    'webhook-cert': webhook,
    'admin-config': config,
    'scheduler-config': config,
    ...(etcd === 'local' ? { 'etcd-cert': data((name) => name.startsWith('etcd')) } : {}),
  };
}

describe('ensureCertificates for a control plane of the upstream operator', () => {
  it.each(['local', 'external'] as const)(
    'keeps the CAs and signs tokens with karmada.key when etcd is %s',
    async (etcd) => {
      const reads = await upstreamReads(etcd);
      const lifeSigns = {
        ...NO_LIFE,
        apiserver: 'present' as const,
        statusReady: 'present' as const,
      };
      const blocked = new Map([['karmada', 'its key still signs tokens'] as const]);
      const inputs = { ...INPUTS, etcd };
      const result = await again(reads, { inputs, lifeSigns, blocked });
      expect(result.serviceAccountSource).toBe('adopted');
      const cert = dataOf(result, 'cert');
      for (const key of ['ca.key', 'front-proxy-ca.key', 'front-proxy-client.crt', 'karmada.key'])
        expect([key, cert[key]]).toEqual([key, (reads.cert as SecretData)[key]]);
      for (const role of ['service-account-key', 'ca-backup'] as const)
        expect(dataOf(result, role)['service-account.key']).toBe(cert['karmada.key']);
      const verifying = createPublicKey(
        decode(dataOf(result, 'service-account-key'), 'service-account.pub'),
      );
      const karmada = new X509Certificate(decode(cert, 'karmada.crt'));
      expect(karmada.publicKey.equals(verifying)).toBe(true);
      expect(Object.keys(cert)).not.toContain('foreign.crt');
      expect(issued(result)).toEqual(expect.arrayContaining(['apiserver', 'webhook-serving']));
      expect(issued(result)).not.toContain('front-proxy-client');
      const step = result.plan.leaves.find(({ name }) => name === 'karmada');
      expect(step?.action).toBe('block');
    },
  );

  it('renews the pair and keeps the token key when the key has its own Secret', async () => {
    const first = await again(await upstreamReads('local'), {
      blocked: new Map([['karmada', 'its key still signs tokens'] as const]),
    });
    const next = await again(readsOf(first));
    expect(issued(next)).toEqual(['karmada']);
    const key = 'service-account.key';
    expect(next.serviceAccountSource).toBe('own');
    expect(dataOf(next, 'service-account-key')[key]).toBe(
      dataOf(first, 'service-account-key')[key],
    );
    expect(dataOf(next, 'cert')['karmada.key']).not.toBe(dataOf(next, 'service-account-key')[key]);
  });
});

describe('ensureCertificates with a custom CA', () => {
  it('signs with the custom CA, trusts its complete bundle and adds no successor', async () => {
    const context = { now: NOW, random: countingRandom() };
    const root = await selfSigned('Example Root', await makeKey('rsa-2048'), context);
    const own = await selfSigned('Example Issuing CA', await makeKey('ec-p256'), context);
    const inputs = { ...INPUTS, customAuthority: true };
    const files = { bundle: own.certificate + root.certificate, key: own.key };
    const customAuthority = { secret: 'team/ca', files };
    const result = await install({ inputs, customAuthority });
    expect(decode(dataOf(result, 'cert'), 'ca.crt')).toBe(own.certificate + root.certificate);
    const leaf = new X509Certificate(decode(dataOf(result, 'cert'), 'apiserver.crt'));
    expect(leaf.verify(new X509Certificate(own.certificate).publicKey)).toBe(true);
    expect(result.info.authorities['etcd-ca']?.active.commonName).toBe('karmada-etcd-ca');
    const second = await again(readsOf(result), { inputs, customAuthority });
    expect(issued(second)).toEqual([]);
    expect(second.customDifference).toBeUndefined();
    const other = await selfSigned('Example Other CA', await makeKey('ec-p256'), context);
    const differing: readonly (readonly [typeof files, RegExp])[] = [
      [
        { ...files, bundle: files.bundle + other.certificate },
        /Secret team\/ca: contains certificates .*\(1\)/,
      ],
      [{ bundle: other.certificate, key: other.key }, /Secret team\/ca: contains another CA/],
      [{ ...files, key: other.key }, /Secret team\/ca: contains no CA certificate with its/],
    ];
    for (const [changed, message] of differing) {
      const given = { secret: 'team/ca', files: changed };
      const third = await again(readsOf(result), { inputs, customAuthority: given });
      expect(third.customDifference).toMatch(message);
      expect(readsOf(third)).toEqual(readsOf(second));
    }
    const gone = await again(readsOf(result), { inputs, customAuthority: { secret: 'team/ca' } });
    expect(gone.customDifference).toBeUndefined();
  });

  it('blocks issuing when the reference to the custom CA is incomplete', async () => {
    const inputs = { ...INPUTS, customAuthority: true };
    const result = await ensureCertificates(request({ inputs }), issuance());
    expect(result).toMatchObject({ outcome: 'blocked', reason: 'CustomAuthorityUnusable' });
  });

  it('blocks issuing and names the Secret when the custom CA cannot sign', async () => {
    const inputs = { ...INPUTS, customAuthority: true };
    const customAuthority = { secret: 'team/ca' };
    const result = await ensureCertificates(request({ inputs, customAuthority }), issuance());
    expect(result).toMatchObject({
      outcome: 'blocked',
      reason: 'CustomAuthorityUnusable',
      message: expect.stringContaining('Secret team/ca: not found; store'),
    });
  });
});
