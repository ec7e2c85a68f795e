/**
 * Rules for reissuing certificates. The first violated rule determines the reason. Pure functions; the clock
 * is a parameter.
 */
import type { CertificateInfo, PairInfo } from './public-info.ts';
import type { SanSet } from './sans.ts';
import type { LeafSpec } from './specs.ts';
import { ROTATE_ANNOTATION } from './rotate-request.ts';
import { backdateOf, DAY } from './x509.ts';

export type ViolationReason =
  | 'Missing'
  | 'Unreadable'
  | 'KeyMismatch'
  | 'WrongIssuer'
  | 'SubjectDiffers'
  | 'UsagesDiffer'
  | 'SANsDiffer'
  | 'ValidityDiffers'
  | 'Expired'
  | 'Expiring'
  | 'Requested';

export interface Violation {
  readonly reason: ViolationReason;
  readonly message: string;
}

export interface PolicyInput {
  readonly spec: LeafSpec;
  readonly sans: SanSet;
  readonly validityDays: number;
  readonly pair: PairInfo | undefined;
  /** active CA */
  readonly authority: CertificateInfo | undefined;
  readonly now: Date;
  /** Request of a user to reissue the certificate. */
  readonly request?: string | undefined;
}

/** Rule for a readable certificate. */
type Policy = (certificate: CertificateInfo, input: PolicyInput) => Violation | undefined;

const HOUR = 3_600_000;
const SECOND = 1000;
/** Minimum age of a certificate that is reissued only for addresses of nodes, so that autoscalers do not cause many. */
const NODES_AFTER = HOUR;
/** Age up to which a certificate is reissued for addresses that later ones get with their next issue. */
const NEW_FOR = HOUR / 60;

const wrongIssuer: Policy = (_certificate, { pair, authority }) =>
  authority !== undefined && pair?.signer !== authority.sha256
    ? { reason: 'WrongIssuer', message: 'it is not signed by the active CA' }
    : undefined;

const subjectDiffers: Policy = (certificate, { spec }) => {
  const { commonName, organization } = spec.subject;
  const organizations = organization === undefined ? [] : [organization];
  return certificate.commonName === commonName && same(certificate.organizations, organizations)
    ? undefined
    : {
        reason: 'SubjectDiffers',
        message: `its subject differs from the expected one (CN=${commonName})`,
      };
};

/** Tolerates additional usages until the next issue, because the etcd client certificate of upstream has one. */
const usagesDiffer: Policy = (certificate, { spec }) => {
  const lacking = without(spec.usages, certificate.usages);
  return lacking.length === 0
    ? undefined
    : { reason: 'UsagesDiffer', message: `it lacks the extended key usages ${lacking.join(', ')}` };
};

/**
 * Compares SANs in both directions, so that a SAN removed from the spec is also removed from the certificate.
 * Tolerates additional SANs while an address is unknown, because they may be that address. Tolerates additional IP
 * addresses if there are addresses of nodes, because they may be those of nodes that have left.
 */
const sansDiffer: Policy = (certificate, { sans, now }) => {
  const present = [...certificate.dns, ...certificate.ips];
  const wanted = [...sans.dns, ...sans.ips];
  const isDelayed = reissuesForNodes(certificate, sans).some((time) => now < time);
  const later = [
    ...(isDelayed ? (sans.delayed ?? []) : []),
    ...(isNew(certificate, now) ? [] : awaitedUntilIssue(present, sans)),
  ];
  const lacking = without(wanted, [...present, ...later]);
  const removable = sans.delayed === undefined ? present : certificate.dns;
  const surplus = sans.complete ? without(removable, wanted) : [];
  const parts = [
    ...(lacking.length === 0 ? [] : [`it lacks the SANs ${lacking.join(', ')}`]),
    ...(surplus.length === 0
      ? []
      : [`it contains the SANs ${surplus.join(', ')}, which are no longer required`]),
  ];
  return parts.length === 0 ? undefined : { reason: 'SANsDiffer', message: parts.join(' and ') };
};

/** Addresses that a certificate gets with its next issue; none if it has one of them, and so is of a later version. */
const awaitedUntilIssue = (
  present: readonly string[],
  { eventual = [] }: SanSet,
): readonly string[] => (eventual.some((address) => present.includes(address)) ? [] : eventual);

/** Whether a certificate belongs to a control plane that is being created, whose addresses may become known later. */
const isNew = (certificate: CertificateInfo, now: Date): boolean =>
  now.getTime() < issuedAt(certificate) + NEW_FOR;

/**
 * Applies a changed `leafCertValidityDays` immediately, also a shorter one. Tolerates twice the backdating, because the
 * upstream operator does not backdate.
 */
const validityDiffers: Policy = (certificate, input) => {
  const wanted = input.validityDays * DAY;
  const backdate = backdateOf(wanted);
  const difference = lifeOf(certificate) - (wanted + backdate);
  const asLongAsPossible = difference < 0 && endsWithAuthority(certificate, input);
  return Math.abs(difference) <= 2 * backdate || asLongAsPossible
    ? undefined
    : {
        reason: 'ValidityDiffers',
        message: `its validity period differs from the ${input.validityDays} days of the spec`,
      };
};

const expired: Policy = (certificate, { now }) =>
  now >= certificate.notAfter
    ? { reason: 'Expired', message: `it expired at ${certificate.notAfter.toISOString()}` }
    : undefined;

/** Renews after two thirds of the validity period, unless a new certificate would not expire later. */
const expiring: Policy = (certificate, input) =>
  input.now >= renewalTime(certificate) && !endsWithAuthority(certificate, input)
    ? { reason: 'Expiring', message: `it expires at ${certificate.notAfter.toISOString()}` }
    : undefined;

/** Last, because a certificate that is blocked for another reason stays blocked. */
const requested: Policy = (_certificate, { request }) =>
  request === undefined
    ? undefined
    : {
        reason: 'Requested',
        message: `its reissue is requested by ${ROTATE_ANNOTATION}=${request}`,
      };

const POLICIES: readonly Policy[] = [
  wrongIssuer,
  subjectDiffers,
  usagesDiffer,
  sansDiffer,
  expired,
  validityDiffers,
  expiring,
  requested,
];

/** Checks all rules. @returns the first violation, or undefined if the certificate can be kept */
export function violationOf(input: PolicyInput): Violation | undefined {
  const { pair } = input;
  if (pair === undefined) return { reason: 'Missing', message: 'missing' };
  const { certificate } = pair;
  if (certificate === undefined) return { reason: 'Unreadable', message: 'it cannot be read' };
  if (!pair.keyMatches) return { reason: 'KeyMismatch', message: 'its private key does not match' };
  for (const policy of POLICIES) {
    const violation = policy(certificate, input);
    if (violation !== undefined) return violation;
  }
  return undefined;
}

/** Returns when a certificate is due: after two thirds of its validity period. All times are in milliseconds. */
export const dueTime = (notBefore: number, notAfter: number): number =>
  notBefore + ((notAfter - notBefore) * 2) / 3;

/** Returns the renewal time of a certificate. */
export const renewalTime = ({ notBefore, notAfter }: CertificateInfo): Date =>
  new Date(dueTime(notBefore.getTime(), notAfter.getTime()));

/** Returns when a certificate may be reissued for addresses of nodes that it lacks; empty if it lacks none. */
export const reissuesForNodes = (
  certificate: CertificateInfo,
  { delayed = [] }: Pick<SanSet, 'delayed'>,
): readonly Date[] =>
  without(delayed, certificate.ips).length === 0
    ? []
    : [new Date(issuedAt(certificate) + NODES_AFTER)];

const lifeOf = ({ notBefore, notAfter }: CertificateInfo): number =>
  notAfter.getTime() - notBefore.getTime();

/** When a certificate was issued, in milliseconds since the epoch. Its backdating is a tenth of the rest of its life. */
export const issuedAt = (certificate: CertificateInfo): number =>
  certificate.notBefore.getTime() + backdateOf((lifeOf(certificate) * 10) / 11);

const endsWithAuthority = (certificate: CertificateInfo, { authority }: PolicyInput): boolean =>
  authority !== undefined &&
  authority.notAfter.getTime() <= certificate.notAfter.getTime() + SECOND;

function without(some: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others);
  return some.filter((item) => !known.has(item));
}

const same = (some: readonly string[], others: readonly string[]): boolean =>
  without(some, others).length === 0 && without(others, some).length === 0;
