/**
 * Why a certificate must be issued anew: a chain of small rules, of which the first that is violated
 * gives the reason. All of them are pure; the clock is passed in.
 */
import type { CertificateInfo, PairInfo } from './certificate-info.ts';
import type { SanSet } from './sans.ts';
import type { LeafSpec } from './specs.ts';
import { BACKDATE, DAY } from './x509.ts';

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
  /** the authority that signs now */
  readonly authority: CertificateInfo | undefined;
  readonly now: Date;
  /** when a user asked for a new one */
  readonly requestedAt: Date | undefined;
}

/** A rule for a certificate that is there and readable. */
type Policy = (certificate: CertificateInfo, input: PolicyInput) => Violation | undefined;

const HOUR = 3_600_000;
/** Upstream does not back-date; a difference of this size is none. */
const VALIDITY_SLACK = 2 * HOUR;
const SECOND = 1000;

const wrongIssuer: Policy = (_certificate, { pair, authority }) =>
  authority !== undefined && pair?.signer !== authority.sha256
    ? { reason: 'WrongIssuer', message: 'it is not signed by the authority that signs now' }
    : undefined;

const subjectDiffers: Policy = (certificate, { spec }) => {
  const { commonName, organization } = spec.subject;
  const organizations = organization === undefined ? [] : [organization];
  return certificate.commonName === commonName && same(certificate.organizations, organizations)
    ? undefined
    : { reason: 'SubjectDiffers', message: `its subject is not CN=${commonName} as it should be` };
};

/** A usage too many is left alone until the next issue: upstream's etcd client pair has one. */
const usagesDiffer: Policy = (certificate, { spec }) => {
  const lacking = without(spec.usages, certificate.usages);
  return lacking.length === 0
    ? undefined
    : { reason: 'UsagesDiffer', message: `it may not be used for ${lacking.join(', ')}` };
};

/**
 * Both directions count, so that a name taken out of the spec also leaves the certificate; except while
 * some address is unknown, when names beyond the set may be just those.
 */
const sansDiffer: Policy = (certificate, { sans }) => {
  const present = [...certificate.dns, ...certificate.ips];
  const wanted = [...sans.dns, ...sans.ips];
  const lacking = without(wanted, present);
  const surplus = sans.complete ? without(present, wanted) : [];
  const parts = [
    ...(lacking.length === 0 ? [] : [`it lacks the names ${lacking.join(', ')}`]),
    ...(surplus.length === 0 ? [] : [`it bears the names ${surplus.join(', ')}, no longer wanted`]),
  ];
  return parts.length === 0 ? undefined : { reason: 'SANsDiffer', message: parts.join(' and ') };
};

/** A changed `leafCertValidityDays` takes effect at once, also when it is shorter. */
const validityDiffers: Policy = (certificate, input) => {
  const difference = lifeOf(certificate) - (input.validityDays * DAY + BACKDATE);
  const asLongAsPossible = difference < 0 && endsWithAuthority(certificate, input);
  return Math.abs(difference) <= VALIDITY_SLACK || asLongAsPossible
    ? undefined
    : {
        reason: 'ValidityDiffers',
        message: `it is not valid for the ${input.validityDays} days the spec asks for`,
      };
};

const expired: Policy = (certificate, { now }) =>
  now >= certificate.notAfter
    ? { reason: 'Expired', message: `it expired at ${certificate.notAfter.toISOString()}` }
    : undefined;

/** At two thirds of its life; not when a new one would end no later. */
const expiring: Policy = (certificate, input) =>
  input.now >= renewalTime(certificate) && !endsWithAuthority(certificate, input)
    ? { reason: 'Expiring', message: `it expires at ${certificate.notAfter.toISOString()}` }
    : undefined;

/** A time in the future is no request yet: it would be met again and again. */
const requested: Policy = (certificate, { requestedAt, now }) => {
  const issuedAt = certificate.notBefore.getTime() + BACKDATE;
  return requestedAt !== undefined && requestedAt <= now && issuedAt < floorSecond(requestedAt)
    ? { reason: 'Requested', message: `a new one was asked for at ${requestedAt.toISOString()}` }
    : undefined;
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

/** @returns the first violated rule, or undefined when the certificate may stay */
export function violationOf(input: PolicyInput): Violation | undefined {
  const { pair } = input;
  if (pair === undefined) return { reason: 'Missing', message: 'there is none' };
  const { certificate } = pair;
  if (certificate === undefined)
    return { reason: 'Unreadable', message: 'its certificate cannot be read' };
  if (!pair.keyMatches)
    return { reason: 'KeyMismatch', message: 'its private key does not belong to its certificate' };
  for (const policy of POLICIES) {
    const violation = policy(certificate, input);
    if (violation !== undefined) return violation;
  }
  return undefined;
}

/** When a certificate is due for renewal: two thirds into its life. */
export const renewalTime = (certificate: CertificateInfo): Date =>
  new Date(certificate.notBefore.getTime() + (lifeOf(certificate) * 2) / 3);

const lifeOf = ({ notBefore, notAfter }: CertificateInfo): number =>
  notAfter.getTime() - notBefore.getTime();

const endsWithAuthority = (certificate: CertificateInfo, { authority }: PolicyInput): boolean =>
  authority !== undefined &&
  authority.notAfter.getTime() <= certificate.notAfter.getTime() + SECOND;

/** Certificates know whole seconds only. */
const floorSecond = (date: Date): number => Math.floor(date.getTime() / SECOND) * SECOND;

const without = (some: readonly string[], others: readonly string[]): readonly string[] =>
  some.filter((item) => !others.includes(item));

const same = (some: readonly string[], others: readonly string[]): boolean =>
  without(some, others).length === 0 && without(others, some).length === 0;
