import { describe, expect, it } from '@jest/globals';
import type { CertificateInfo, PairInfo } from './certificate-info.ts';
import { INPUTS, NOW, inDays } from './fixture.test-data.ts';
import { LEAVES } from './inventory.ts';
import { planCertificates, sansToIssue } from './plan.ts';
import { violationOf } from './policies.ts';
import type { PolicyInput } from './policies.ts';
import type { CertificateSetInfo } from './set-info.ts';
import type { LeafSpec } from './specs.ts';
import type { PkiInputs } from './types.ts';

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
  requestedAt: undefined,
  ...change,
});

const aged = (days: number, life = 365): PairInfo =>
  pair({ notBefore: new Date(inDays(-days).getTime() - HOUR), notAfter: inDays(life - days) });

describe('policies', () => {
  it.each<[string, Partial<PolicyInput>, string | undefined]>([
    ['all is well', {}, undefined],
    ['there is none', { pair: undefined }, 'Missing'],
    ['the certificate is garbage', { pair: { keyMatches: false } }, 'Unreadable'],
    ['the key is another', { pair: pair({}, { keyMatches: false }) }, 'KeyMismatch'],
    ['another authority signed', { pair: pair({}, { signer: 'other' }) }, 'WrongIssuer'],
    ['nobody known signed', { pair: UNSIGNED }, 'WrongIssuer'],
    ['the name is another', { pair: pair({ commonName: 'system:admin' }) }, 'SubjectDiffers'],
    ['a group too many', { pair: pair({ organizations: ['system:masters'] }) }, 'SubjectDiffers'],
    ['a usage is lacking', { pair: pair({ usages: ['clientAuth'] }) }, 'UsagesDiffer'],
    ['a usage too many', { pair: pair({ usages: ['serverAuth', 'clientAuth'] }) }, undefined],
    ['a name is lacking', { pair: pair({ dns: SANS.dns.slice(1) }) }, 'SANsDiffer'],
    ['an address is lacking', { pair: pair({ ips: [] }) }, 'SANsDiffer'],
    ['a name too many', { pair: pair({ dns: [...SANS.dns, 'old.example'] }) }, 'SANsDiffer'],
    [
      'a name too many while addresses are unknown',
      { pair: pair({ ips: [...SANS.ips, '192.0.2.1'] }), sans: { ...SANS, complete: false } },
      undefined,
    ],
    [
      'a name is lacking while addresses are unknown',
      { pair: pair({ ips: [] }), sans: { ...SANS, complete: false } },
      'SANsDiffer',
    ],
    ['not back-dated, as upstream', { pair: pair({ notBefore: NOW }) }, undefined],
    ['shorter life asked for', { validityDays: 30 }, 'ValidityDiffers'],
    ['longer life asked for', { validityDays: 700 }, 'ValidityDiffers'],
    ['one day before two thirds', { pair: aged(242) }, undefined],
    ['two thirds of its life are over', { pair: aged(244) }, 'Expiring'],
    ['it has expired', { pair: aged(366) }, 'Expired'],
    [
      'the authority ends as soon: a new one would gain nothing',
      { pair: aged(300), authority: { ...AUTHORITY, notAfter: inDays(65) } },
      undefined,
    ],
    [
      'short because the authority ends',
      { pair: pair({ notAfter: inDays(9) }), authority: { ...AUTHORITY, notAfter: inDays(9) } },
      undefined,
    ],
    ['asked for after it was issued', { requestedAt: inDays(-1), pair: aged(2) }, 'Requested'],
    ['asked for before it was issued', { requestedAt: inDays(-3), pair: aged(2) }, undefined],
    ['asked for and issued in this second', { requestedAt: NOW }, undefined],
    ['asked for in the future', { requestedAt: inDays(1), pair: aged(2) }, undefined],
  ])('%s', (_case, change, reason) => {
    expect(violationOf(input(change))?.reason).toBe(reason);
  });

  it('the message names what differs', () => {
    const change = pair({ dns: [...SANS.dns.slice(1), 'old.example'] });
    expect(violationOf(input({ pair: change }))?.message).toBe(
      'it lacks the names *.karmada-system.svc and it bears the names old.example, no longer wanted',
    );
  });
});

describe('plan', () => {
  const infoOf = (authority: CertificateInfo, apiserver?: PairInfo): CertificateSetInfo => ({
    authorities: { ca: { active: authority, bundle: [authority] } },
    leaves: apiserver === undefined ? {} : { apiserver },
  });
  const stepOf = (name: string, ...args: Parameters<typeof planCertificates>) =>
    planCertificates(...args).leaves.find((step) => step.name === name);

  it('a certificate that is held stays, and says why', () => {
    const held = new Map([['karmada', 'its key still signs tokens'] as const]);
    expect(stepOf('karmada', INPUTS, infoOf(AUTHORITY), { now: NOW, held })).toMatchObject({
      action: 'hold',
      reason: 'Missing',
      message: 'certificate karmada: there is none; held back: its key still signs tokens',
    });
  });

  it('nothing is signed by an expired authority', () => {
    const expired = { ...AUTHORITY, notAfter: inDays(-1) };
    expect(stepOf('apiserver', INPUTS, infoOf(expired), { now: NOW })).toMatchObject({
      action: 'hold',
      reason: 'AuthorityExpired',
    });
  });

  it('addons and etcd that are absent need no certificates', () => {
    const inputs: PkiInputs = {
      ...INPUTS,
      etcd: 'external',
      addons: {
        metricsAdapter: false,
        search: false,
        descheduler: false,
        schedulerEstimator: false,
      },
    };
    const names = planCertificates(inputs, infoOf(AUTHORITY), { now: NOW }).leaves.map(
      ({ name }) => name,
    );
    expect(names).toEqual([
      'karmada',
      'apiserver',
      'front-proxy-client',
      'admin-client',
      'aggregated-apiserver-serving',
      'webhook-serving',
      'aggregated-apiserver-client',
      'controller-manager-client',
      'kube-controller-manager-client',
      'scheduler-client',
      'webhook-client',
    ]);
  });

  it("the user's own authority gets no successor from us", () => {
    const plan = (customAuthority: boolean): readonly string[] =>
      planCertificates({ ...INPUTS, customAuthority }, infoOf(AUTHORITY), { now: NOW }).successors;
    expect(plan(false)).toEqual(['ca']);
    expect(plan(true)).toEqual([]);
  });

  it('a refused name is reported once, with its field', () => {
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

  it('an address that is unknown at present stays in the new certificate', () => {
    const old = pair({ ips: [...SANS.ips, '192.0.2.1'] });
    const unknown: PkiInputs = { ...INPUTS, exposedAddresses: 'unknown' };
    expect(sansToIssue(SPEC, unknown, old).ips).toContain('192.0.2.1');
    expect(sansToIssue(SPEC, INPUTS, old).ips).not.toContain('192.0.2.1');
    expect(sansToIssue(SPEC, unknown, undefined).ips).toEqual(SANS.ips);
  });
});
