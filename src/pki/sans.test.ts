import { isIP } from 'node:net';
import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codePoint } from '../../test/harness/code-point.ts';
import { firstAddress, formatAddress, parseAddress, serverUrl } from './address.ts';
import { describeCertificate } from './certificate-info.ts';
import { INPUTS, NOW, countingRandom } from './fixture.test-data.ts';
import { LEAVES } from './inventory.ts';
import { makeKey } from './keys.ts';
import { apiServerSans, etcdPeerSans, etcdServerSans, parseSan, servingSans } from './sans.ts';
import { selfSigned, signedBy } from './x509.ts';

describe('IP addresses', () => {
  it.each([
    ['10.96.0.1', '10.96.0.1'],
    ['2001:DB8:0:0:0:0:0:5', '2001:db8::5'],
    ['::1', '::1'],
    ['::', '::'],
    ['fe80::1:0:0:0', 'fe80::1:0:0:0'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
  ])('are formatted canonically: %s as %s', (text, canonical) => {
    expect(formatAddress(parseAddress(text) ?? new Uint8Array())).toBe(canonical);
  });

  it.each([
    ['10.96.0.0/12', '10.96.0.1'],
    ['10.111.3.4/12', '10.96.0.1'],
    ['fd00:10:96::/108', 'fd00:10:96::1'],
    ['192.168.1.128/31', '192.168.1.129'],
    ['10.0.0.0/32', undefined],
    ['10.0.0.0/33', undefined],
    ['10.0.0.0', undefined],
    ['10.0.0.0/8/9', undefined],
    ['fd00::/-1', undefined],
    ['', undefined],
  ])('of subnet %j start with %s', (cidr, first) => {
    expect(firstAddress(cidr)).toBe(first);
  });

  it('are unchanged after conversion to bytes and text for any IPv6 address', () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const bytes = parseAddress(text);
        expect(bytes).toBeDefined();
        const canonical = formatAddress(bytes ?? new Uint8Array());
        expect(parseAddress(canonical)).toEqual(bytes);
        expect(isIP(canonical)).not.toBe(0);
      }),
    );
  });

  it('are returned by firstAddress without an exception for any text', () => {
    const garbage = fc.oneof(fc.string({ maxLength: 40 }), fc.ipV4(), fc.ipV6());
    fc.assert(
      fc.property(garbage, garbage, (network, prefix) => {
        const first = firstAddress(`${network}/${prefix}`);
        expect(first === undefined || isIP(first) !== 0).toBe(true);
      }),
    );
  });

  it('have brackets in URLs when they are IPv6', () => {
    expect(serverUrl('2001:db8::5', 5443)).toBe('https://[2001:db8::5]:5443');
    expect(serverUrl('10.0.0.1', 30443)).toBe('https://10.0.0.1:30443');
    expect(serverUrl('api.example.org', 5443)).toBe('https://api.example.org:5443');
  });
});

describe('parseSan', () => {
  it.each([
    ['API.example.org', { dns: 'api.example.org' }],
    ['*.example.org', { dns: '*.example.org' }],
    ['localhost', { dns: 'localhost' }],
    ['10.0.0.1', { ip: '10.0.0.1' }],
    ['::1', { ip: '::1' }],
  ])('%s is taken as %j', (value, parsed) => {
    expect(parseSan(value)).toEqual(parsed);
  });

  it.each([
    'Bad_Name',
    'https://a',
    'a b',
    '',
    '*',
    '*.',
    'a.*.b',
    '256.1.1.1',
    '010.0.0.1',
    'a..b',
    'a.',
    '-a',
    'fe80::1%eth0',
    'x'.repeat(254),
    'a\nb',
    'ключ.example',
  ])('returns a reason when the SAN is invalid: %j', (value) => {
    expect(parseSan(value)).toHaveProperty('reason');
  });

  it('adds every SAN of a user to the certificate or reports it, and issuing never fails', async () => {
    const [authorityKey, key] = [await makeKey('ec-p256'), await makeKey('ec-p256')];
    const context = { now: NOW, random: countingRandom() };
    const authority = await selfSigned('karmada', authorityKey, context);
    const name = fc.oneof(
      fc.string({ unit: codePoint, maxLength: 30 }),
      fc.domain(),
      fc.domain().map((domain) => `*.${domain}`),
      fc.ipV4(),
      fc.ipV6(),
      fc.constantFrom('Bad_Name', '"', ', DNS:evil.example', '{{x}}', '!!js', 'a\u0000b'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(name, { maxLength: 6 }), async (values) => {
        const extraSans = { ...INPUTS.extraSans, apiServer: values };
        const sans = apiServerSans({ ...INPUTS, extraSans });
        const leaf = {
          subject: { commonName: 'karmada-apiserver' },
          validityDays: 365,
          leaf: { usages: ['serverAuth' as const], dns: sans.dns, ips: sans.ips },
        };
        const issued = await signedBy(authority, leaf, key, context);
        const info = describeCertificate(issued.certificate);
        expect(info).toMatchObject({ dns: sans.dns, ips: sans.ips });
        const certificate = new X509Certificate(issued.certificate);
        for (const value of values) {
          const rejected = sans.rejected.some((item) => item.value === value);
          const parsed = parseSan(value);
          if ('ip' in parsed) expect(certificate.checkIP(parsed.ip)).toBeDefined();
          else if ('dns' in parsed) expect(info?.dns).toContain(parsed.dns);
          else expect(rejected).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('reports invalid DNS domains and subnets with their field', () => {
    const sans = apiServerSans({ ...INPUTS, dnsDomain: 'a {b}', serviceSubnet: '10.0.0.0/8,x' });
    const fields = new Set(sans.rejected.map(({ source }) => source));
    expect([...fields]).toEqual([
      'spec.hostCluster.networking.dnsDomain',
      'spec.components.karmadaAPIServer.serviceSubnet',
    ]);
    expect(sans.ips).toContain('10.0.0.1');
  });
});

describe('SANs of certificates', () => {
  it('contain all names and addresses of the API server', () => {
    const extraSans = { ...INPUTS.extraSans, apiServer: ['api.example.org', '203.0.113.7'] };
    const serviceSubnet = '10.96.0.0/12,fd00:10:96::/108';
    const sans = apiServerSans({
      ...INPUTS,
      serviceSubnet,
      extraSans,
      exposedAddresses: ['192.0.2.10', '2001:db8::10'],
    });
    expect(sans).toEqual({
      dns: [
        '*.karmada-system.svc',
        '*.karmada-system.svc.cluster.test',
        '*.team-a.svc',
        '*.team-a.svc.cluster.test',
        'api.example.org',
        'demo-karmada-apiserver',
        'demo-karmada-apiserver.team-a',
        'demo-karmada-apiserver.team-a.svc',
        'demo-karmada-apiserver.team-a.svc.cluster.test',
        'kubernetes',
        'kubernetes.default',
        'kubernetes.default.svc',
        'kubernetes.default.svc.cluster.test',
        'localhost',
      ],
      ips: [
        '10.96.0.1',
        '127.0.0.1',
        '192.0.2.10',
        '2001:db8::10',
        '203.0.113.7',
        '::1',
        'fd00:10:96::1',
      ],
      rejected: [],
      complete: true,
    });
  });

  it('contain the client Service and the members of etcd, and for peers the headless Service', () => {
    const extraSans = {
      ...INPUTS.extraSans,
      etcdServer: ['etcd.example.org'],
      etcdPeer: ['192.0.2.3'],
    };
    const inputs = { ...INPUTS, extraSans };
    expect(etcdServerSans(inputs)).toMatchObject({
      dns: [
        '*.demo-karmada-etcd.team-a.svc',
        '*.demo-karmada-etcd.team-a.svc.cluster.test',
        'demo-karmada-etcd-client',
        'demo-karmada-etcd-client.team-a',
        'demo-karmada-etcd-client.team-a.svc',
        'demo-karmada-etcd-client.team-a.svc.cluster.test',
        'etcd.example.org',
        'localhost',
      ],
      ips: ['127.0.0.1', '::1'],
    });
    expect(etcdPeerSans(inputs)).toMatchObject({
      dns: [
        '*.demo-karmada-etcd.team-a.svc',
        '*.demo-karmada-etcd.team-a.svc.cluster.test',
        'demo-karmada-etcd',
        'demo-karmada-etcd.team-a',
        'demo-karmada-etcd.team-a.svc',
        'demo-karmada-etcd.team-a.svc.cluster.test',
        'localhost',
      ],
      ips: ['127.0.0.1', '192.0.2.3', '::1'],
    });
  });

  it('contain certSANs of the aggregated API server only in its own certificate', () => {
    const extraSans = { ...INPUTS.extraSans, aggregatedAPIServer: ['agg.example.org'] };
    const inputs = { ...INPUTS, extraSans };
    expect(servingSans(inputs, 'aggregated-apiserver').dns).toContain('agg.example.org');
    expect(servingSans(inputs, 'webhook').dns).not.toContain('agg.example.org');
    expect(servingSans(inputs, 'webhook').dns).toContain('demo-karmada-webhook.team-a.svc');
  });

  it('are empty in client certificates', () => {
    const clients = LEAVES.filter(({ usages }) => !usages.includes('serverAuth'));
    expect(clients.length).toBeGreaterThan(9);
    for (const { sans } of clients) expect(sans(INPUTS)).toMatchObject({ dns: [], ips: [] });
  });
});
