import type { CertificateInfo, PairInfo } from './public-info.ts';
import { describe, expect, it } from '@jest/globals';
import { OPTIONAL_COMPONENTS } from '../api/component-catalog.ts';
import { allOptional, INPUTS, NOW, inDays } from './fixture.test-data.ts';
import { LEAVES } from './inventory.ts';
import { planCertificates, sansToIssue } from './plan.ts';
import { violationOf } from './reissue-rules.ts';
import type { PolicyInput } from './reissue-rules.ts';
import type { CertificateSetInfo } from './set-info.ts';
import type { LeafSpec } from './specs.ts';
import type { AuthorityName, PkiInputs } from './types.ts';

const HOUR = 3_600_000;
const found = LEAVES.find(({ name }) => name === 'apiserver');
if (found === undefined) throw new Error('the table has no row apiserver');
const SPEC: LeafSpec = found;
const SANS = SPEC.sans(INPUTS);

const AUTHORITY: CertificateInfo = {
  commonName: 'karmada',
  organizations: [],
  issuer: 'CN=karmada',
  serial: '01',
  notBefore: inDays(-1),
  notAfter: inDays(3650),
  dns: [],
  ips: [],
  usages: [],
  isAuthority: true,
  sha256: 'authority',
  publicKey: 'authority-key',
};

const CERTIFICATE: CertificateInfo = {
  ...AUTHORITY,
  commonName: 'karmada-apiserver',
  notBefore: new Date(NOW.getTime() - HOUR),
  notAfter: inDays(365),
  dns: SANS.dns,
  ips: SANS.ips,
  usages: ['serverAuth'],
  isAuthority: false,
  sha256: 'leaf',
};

const pair = (change: Partial<CertificateInfo> = {}, rest: Partial<PairInfo> = {}): PairInfo => ({
  certificate: { ...CERTIFICATE, ...change },
  keyMatches: true,
  signer: 'authority',
  ...rest,
});

const UNSIGNED: PairInfo = { certificate: CERTIFICATE, keyMatches: true };

const input = (change: Partial<PolicyInput> = {}): PolicyInput => ({
  spec: SPEC,
  sans: SANS,
  validityDays: 365,
  pair: pair(),
  authority: AUTHORITY,
  now: NOW,
  ...change,
});

const aged = (days: number, life = 365): PairInfo =>
  pair({ notBefore: new Date(inDays(-days).getTime() - HOUR), notAfter: inDays(life - days) });

describe('violationOf', () => {
  it.each<[string, Partial<PolicyInput>, string | undefined]>([
    ['the certificate is valid', {}, undefined],
    ['there is no certificate', { pair: undefined }, 'Missing'],
    ['the certificate is unreadable', { pair: { keyMatches: false } }, 'Unreadable'],
    ['the key does not match', { pair: pair({}, { keyMatches: false }) }, 'KeyMismatch'],
    ['another CA has signed it', { pair: pair({}, { signer: 'other' }) }, 'WrongIssuer'],
    ['an unknown CA has signed it', { pair: UNSIGNED }, 'WrongIssuer'],
    ['the common name differs', { pair: pair({ commonName: 'system:admin' }) }, 'SubjectDiffers'],
    [
      'it has an extra organization',
      { pair: pair({ organizations: ['system:masters'] }) },
      'SubjectDiffers',
    ],
    ['a usage is missing', { pair: pair({ usages: ['clientAuth'] }) }, 'UsagesDiffer'],
    ['it has an extra usage', { pair: pair({ usages: ['serverAuth', 'clientAuth'] }) }, undefined],
    ['a DNS name is missing', { pair: pair({ dns: SANS.dns.slice(1) }) }, 'SANsDiffer'],
    ['an IP address is missing', { pair: pair({ ips: [] }) }, 'SANsDiffer'],
    [
      'it has an extra DNS name',
      { pair: pair({ dns: [...SANS.dns, 'old.example'] }) },
      'SANsDiffer',
    ],
    [
      'it has an extra DNS name while addresses are unknown',
      { pair: pair({ ips: [...SANS.ips, '192.0.2.1'] }), sans: { ...SANS, complete: false } },
      undefined,
    ],
    [
      'a DNS name is missing while addresses are unknown',
      { pair: pair({ ips: [] }), sans: { ...SANS, complete: false } },
      'SANsDiffer',
    ],
    [
      'it is not backdated, as in the upstream operator',
      { pair: pair({ notBefore: NOW }) },
      undefined,
    ],
    ['the spec sets a shorter validity period', { validityDays: 30 }, 'ValidityDiffers'],
    ['the spec sets a longer validity period', { validityDays: 700 }, 'ValidityDiffers'],
    ['the renewal time is in the future', { pair: aged(242) }, undefined],
    ['two thirds of the validity period have passed', { pair: aged(244) }, 'Expiring'],
    ['it has expired', { pair: aged(366) }, 'Expired'],
    [
      'a new certificate would not expire later because of the CA',
      { pair: aged(300), authority: { ...AUTHORITY, notAfter: inDays(65) } },
      undefined,
    ],
    [
      'the spec sets a shorter validity period and the certificate expires with the CA',
      { validityDays: 30, authority: { ...AUTHORITY, notAfter: inDays(365) } },
      'ValidityDiffers',
    ],
    [
      'the validity period is short because the CA expires',
      { pair: pair({ notAfter: inDays(9) }), authority: { ...AUTHORITY, notAfter: inDays(9) } },
      undefined,
    ],
  ])('%s', (_case, change, reason) => {
    expect(violationOf(input(change))?.reason).toBe(reason);
  });

  const CLUSTER = SPEC.sans({ ...INPUTS, clusterAddresses: ['10.96.7.7', 'fd00::7'] });
  const minutesAgo = (count: number): Partial<CertificateInfo> => ({
    notBefore: new Date(NOW.getTime() - HOUR - count * 60_000),
    notAfter: inDays(365),
  });

  it.each<[string, Partial<CertificateInfo>, string | undefined]>([
    ['keeps an earlier certificate that lacks the cluster IP', minutesAgo(2), undefined],
    ['reissues a new certificate that lacks the cluster IP', minutesAgo(0.5), 'SANsDiffer'],
    ['keeps a certificate with the cluster IP', { ...minutesAgo(2), ips: CLUSTER.ips }, undefined],
    [
      'reissues a certificate with one of two cluster IPs',
      { ...minutesAgo(2), ips: [...SANS.ips, '10.96.7.7'] },
      'SANsDiffer',
    ],
    [
      'reissues a certificate with the cluster IP of a former Service',
      { ...minutesAgo(2), ips: [...SANS.ips, '10.96.9.9'] },
      'SANsDiffer',
    ],
  ])('%s', (_case, change, reason) => {
    expect(violationOf(input({ sans: CLUSTER, pair: pair(change) }))?.reason).toBe(reason);
    expect(CLUSTER.ips).toEqual(expect.arrayContaining(['10.96.7.7', 'fd00::7']));
  });

  const NODES = SPEC.sans({ ...INPUTS, nodeAddresses: ['198.51.100.1', '198.51.100.2'] });
  const hours = (count: number): Date => new Date(NOW.getTime() + count * HOUR);
  const issued = { notBefore: hours(-1), notAfter: inDays(365) };

  it.each<[string, Partial<CertificateInfo>, Date, string | undefined]>([
    ['keeps a new certificate that lacks a node', {}, hours(0.9), undefined],
    ['reissues an older certificate that lacks a node', {}, hours(1), 'SANsDiffer'],
    ['reissues a new certificate that lacks another address', { ips: [] }, NOW, 'SANsDiffer'],
    ['keeps a certificate with all nodes', { ips: NODES.ips }, hours(9), undefined],
    [
      'keeps a certificate with the address of a node that left',
      { ips: [...NODES.ips, '198.51.100.3'] },
      hours(9),
      undefined,
    ],
    [
      'reissues a certificate with a DNS name that is no longer needed',
      { ips: NODES.ips, dns: [...NODES.dns, 'old.example'] },
      NOW,
      'SANsDiffer',
    ],
  ])('%s', (_case, change, now, reason) => {
    const certificate = pair({ ...issued, ...change });
    expect(violationOf(input({ pair: certificate, sans: NODES, now }))?.reason).toBe(reason);
  });

  it('names missing and extra SANs in the message', () => {
    const change = pair({ dns: [...SANS.dns.slice(1), 'old.example'] });
    expect(violationOf(input({ pair: change }))?.message).toBe(
      'it lacks the SANs *.karmada-system.svc and it contains the SANs old.example, which are no longer required',
    );
  });
});

describe('planCertificates', () => {
  const infoOf = (authority: CertificateInfo, apiserver?: PairInfo): CertificateSetInfo => ({
    authorities: { ca: { active: authority, bundle: [authority] } },
    leaves: apiserver === undefined ? {} : { apiserver },
  });
  const stepOf = (name: string, ...args: Parameters<typeof planCertificates>) =>
    planCertificates(...args).leaves.find((step) => step.name === name);

  it('blocks a certificate with the reason when it must not be reissued', () => {
    const blocked = new Map([['karmada', 'its key still signs tokens'] as const]);
    expect(stepOf('karmada', INPUTS, infoOf(AUTHORITY), { now: NOW, blocked })).toMatchObject({
      action: 'block',
      reason: 'Missing',
      message: 'certificate karmada: missing; reissue blocked: its key still signs tokens',
    });
  });

  it('blocks a certificate when its CA has expired', () => {
    const expired = { ...AUTHORITY, notAfter: inDays(-1) };
    expect(stepOf('apiserver', INPUTS, infoOf(expired), { now: NOW })).toMatchObject({
      action: 'block',
      reason: 'AuthorityExpired',
    });
  });

  it('omits certificates of disabled add-ons, of an external etcd and of metrics', () => {
    const inputs: PkiInputs = {
      ...INPUTS,
      etcd: 'external',
      addons: allOptional(false),
      metricsClient: false,
    };
    const { leaves } = planCertificates(inputs, infoOf(AUTHORITY), { now: NOW });
    const names = new Set<string>(leaves.map(({ name }) => name));
    const omitted = LEAVES.map(({ name }) => name).filter((name) => !names.has(name));
    const optional = OPTIONAL_COMPONENTS.flatMap(({ suffix }) => [
      `${suffix}-serving`,
      `${suffix}-client`,
    ]);
    const isKnown = (name: string): boolean => LEAVES.some((leaf) => leaf.name === name);
    expect([...omitted].sort()).toEqual(
      ['etcd-server', 'etcd-peer', 'etcd-client', 'metrics-client', ...optional]
        .filter(isKnown)
        .sort(),
    );
  });

  it.each<[string, boolean, readonly AuthorityName[], readonly AuthorityName[]]>([
    ['for each CA without one', false, [], ['ca', 'etcd-ca', 'front-proxy-ca']],
    ['for no CA with one', false, ['ca', 'etcd-ca', 'front-proxy-ca'], []],
    ['only for the CA without one', false, ['ca', 'etcd-ca'], ['front-proxy-ca']],
    ['for the other CAs when the CA is custom', true, [], ['etcd-ca', 'front-proxy-ca']],
  ])('creates a successor %s', (_case, customAuthority, succeeded, expected) => {
    const named = (name: AuthorityName): CertificateSetInfo['authorities'] => ({
      [name]: {
        active: AUTHORITY,
        bundle: [AUTHORITY],
        ...(succeeded.includes(name) && { successor: AUTHORITY }),
      },
    });
    const authorities = { ...named('ca'), ...named('etcd-ca'), ...named('front-proxy-ca') };
    const inputs = { ...INPUTS, customAuthority };
    const plan = planCertificates(inputs, { authorities, leaves: {} }, { now: NOW });
    expect(plan.successors).toEqual(expected);
  });

  it('creates no successor of a CA when its predecessor is still trusted', () => {
    const before = { ...AUTHORITY, sha256: 'before' };
    const info = { authorities: { ca: { active: AUTHORITY, bundle: [AUTHORITY, before] } } };
    const plan = planCertificates(INPUTS, { ...info, leaves: {} }, { now: NOW });
    expect(plan.successors).toEqual([]);
  });

  it('reports an invalid SAN once with its field', () => {
    const extraSans = { ...INPUTS.extraSans, apiServer: ['Bad_Name', 'Bad_Name'] };
    const plan = planCertificates({ ...INPUTS, extraSans }, infoOf(AUTHORITY), { now: NOW });
    expect(plan.rejected).toEqual([
      {
        value: 'Bad_Name',
        source: 'spec.components.karmadaAPIServer.certSANs',
        reason: 'it is neither an IP address nor a DNS name nor a wildcard such as *.example.org',
      },
    ]);
  });

  it('keeps the SANs of the old certificate while an address is unknown', () => {
    const old = pair({ ips: [...SANS.ips, '192.0.2.1'] });
    const unknown: PkiInputs = { ...INPUTS, exposedAddresses: 'unknown' };
    expect(sansToIssue(SPEC, unknown, old).ips).toContain('192.0.2.1');
    expect(sansToIssue(SPEC, INPUTS, old).ips).not.toContain('192.0.2.1');
    expect(sansToIssue(SPEC, unknown, undefined).ips).toEqual(SANS.ips);
  });
});
