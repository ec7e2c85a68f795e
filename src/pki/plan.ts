/** Plans which certificates to issue, keep or block. Pure functions on public information. */
import type { PairInfo } from './public-info.ts';
import type { TrialLeaf } from './ca-constraints.ts';
import { wantedLeaves } from './inventory.ts';
import { violationOf } from './reissue-rules.ts';
import type { ViolationReason } from './reissue-rules.ts';
import type { RejectedSan, SanSet } from './sans.ts';
import type { CertificateSetInfo } from './set-info.ts';
import type { LeafSpec, Subject } from './specs.ts';
import { withSubjects } from './subjects.ts';
import { missingSuccessors } from './successors.ts';
import type { AuthorityName, LeafName, PkiInputs } from './types.ts';

interface LeafStep {
  readonly name: LeafName;
  readonly action: 'issue' | 'keep' | 'block';
  readonly reason: ViolationReason | 'Valid' | 'AuthorityExpired';
  readonly message: string;
  /** Subject that the certificate gets if it is issued. */
  readonly subject: Subject;
}

export interface CertificatePlan {
  readonly leaves: readonly LeafStep[];
  /** Why clients do not accept certificates of the active CA; absent if they accept them. */
  readonly authorityFault?: string;
  /** CAs that get a successor */
  readonly successors: readonly AuthorityName[];
  /** invalid SANs of the spec */
  readonly rejected: readonly RejectedSan[];
}

export interface PlanContext {
  readonly now: Date;
  /**
   * Certificates that must not be reissued, with the reason. For example `karmada` of a control plane adopted
   * from the upstream operator, while a component signs ServiceAccount tokens with its key.
   */
  readonly blocked?: ReadonlyMap<LeafName, string>;
  /** Certificates that a user has requested to reissue, with the value of the annotation. */
  readonly requested?: ReadonlyMap<LeafName, string>;
  /** Whether no CA gets a successor, because not all Secrets with its bundle can be written. */
  readonly keepsTrust?: boolean;
  /** Why clients would not accept certificates of the active CA with the SANs of the spec. */
  readonly authorityFault?: string;
  /** Whether no component runs yet: the CAs are new, or the installation has not ended. */
  readonly isNew?: boolean;
}

/** Returns the plan for all certificates of a control plane. */
export function planCertificates(
  inputs: PkiInputs,
  info: CertificateSetInfo,
  context: PlanContext,
): CertificatePlan {
  const { isNew = false } = context;
  const subjects = { info, isNew, policy: inputs.identities };
  const specs = withSubjects(wantedLeaves(inputs), subjects);
  return {
    leaves: specs.map((spec) => ({
      ...planLeaf(spec, inputs, info, context),
      subject: spec.subject,
    })),
    successors: context.keepsTrust === true ? [] : missingSuccessors(inputs, info),
    rejected: rejectedSans(specs.flatMap((spec) => spec.sans(inputs).rejected)),
    ...(context.authorityFault !== undefined && { authorityFault: context.authorityFault }),
  };
}

/** Returns the certificates that the CA of the control plane signs, with the SANs of the spec. */
export const trialLeaves = (inputs: PkiInputs): readonly TrialLeaf[] =>
  wantedLeaves(inputs)
    .filter(({ signer }) => signer === 'ca')
    .map(({ name, usages, sans }) => {
      const { dns, ips } = sans(inputs);
      return { name, usages, dns, ips };
    });

function planLeaf(
  spec: LeafSpec,
  inputs: PkiInputs,
  info: CertificateSetInfo,
  context: PlanContext,
): Omit<LeafStep, 'subject'> {
  const { name } = spec;
  const authority = info.authorities[spec.signer]?.active;
  const violation = violationOf({
    spec,
    sans: spec.sans(inputs),
    validityDays: inputs.leafValidityDays,
    now: context.now,
    pair: info.leaves[name],
    authority,
    request: context.requested?.get(name),
  });
  if (violation === undefined) return { name, action: 'keep', reason: 'Valid', message: '' };
  const { reason } = violation;
  const message = `certificate ${name}: ${violation.message}`;
  if (authority !== undefined && authority.notAfter <= context.now)
    return {
      name,
      action: 'block',
      reason: 'AuthorityExpired',
      message: `${message}, but its CA ${spec.signer} expired at ${authority.notAfter.toISOString()}; replace the CA first`,
    };
  const blocked = context.blocked?.get(name) ?? keptForAuthority(spec, reason, context);
  return blocked === undefined
    ? { name, action: 'issue', reason, message }
    : { name, action: 'block', reason, message: `${message}; reissue blocked: ${blocked}` };
}

/** A certificate that works is not replaced by one with SANs that its CA does not permit. */
const keptForAuthority = (
  { signer }: LeafSpec,
  reason: ViolationReason,
  { authorityFault }: PlanContext,
): string | undefined => (signer === 'ca' && reason === 'SANsDiffer' ? authorityFault : undefined);

/** Removes duplicates, because several certificates reject the same SAN. */
function rejectedSans(all: readonly RejectedSan[]): readonly RejectedSan[] {
  const byText = new Map(all.map((item) => [`${item.source}\n${item.value}`, item]));
  return [...byText.values()];
}

/**
 * Returns the SANs of a new certificate. Keeps those of the old certificate while an address is unknown.
 * @param old certificate that is replaced
 */
export function sansToIssue(spec: LeafSpec, inputs: PkiInputs, old: PairInfo | undefined): SanSet {
  const sans = spec.sans(inputs);
  if (sans.complete || old?.certificate === undefined) return sans;
  const union = (some: readonly string[], others: readonly string[]): readonly string[] =>
    [...new Set([...some, ...others])].sort();
  return {
    ...sans,
    dns: union(sans.dns, old.certificate.dns),
    ips: union(sans.ips, old.certificate.ips),
  };
}
