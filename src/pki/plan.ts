/** Which certificates to issue, which to keep, and which ones must wait: pure, from public parts. */
import type { PairInfo } from './certificate-info.ts';
import { wantedAuthorities, wantedLeaves } from './inventory.ts';
import { violationOf } from './policies.ts';
import type { ViolationReason } from './policies.ts';
import type { RejectedSan, SanSet } from './sans.ts';
import type { CertificateSetInfo } from './set-info.ts';
import type { LeafSpec } from './specs.ts';
import type { AuthorityName, LeafName, PkiInputs } from './types.ts';

interface LeafStep {
  readonly name: LeafName;
  readonly action: 'issue' | 'keep' | 'hold';
  readonly reason: ViolationReason | 'Valid' | 'AuthorityExpired';
  readonly message: string;
}

export interface CertificatePlan {
  readonly leaves: readonly LeafStep[];
  /** authorities that lack their successor */
  readonly successors: readonly AuthorityName[];
  /** names of the user that cannot go into a certificate */
  readonly rejected: readonly RejectedSan[];
}

export interface PlanContext {
  readonly now: Date;
  /** when a new certificate was asked for by annotation */
  readonly requested?: ReadonlyMap<LeafName, Date>;
  /**
   * Certificates that must stay as they are for now, with the reason: `karmada` of an instance taken
   * over from upstream, as long as a running process signs ServiceAccount tokens with its key.
   */
  readonly held?: ReadonlyMap<LeafName, string>;
}

/** The plan for everything this instance wants. */
export function planCertificates(
  inputs: PkiInputs,
  info: CertificateSetInfo,
  context: PlanContext,
): CertificatePlan {
  const specs = wantedLeaves(inputs);
  return {
    leaves: specs.map((spec) => planLeaf(spec, inputs, info, context)),
    successors: missingSuccessors(inputs, info),
    rejected: rejectedSans(specs.flatMap((spec) => spec.sans(inputs).rejected)),
  };
}

function planLeaf(
  spec: LeafSpec,
  inputs: PkiInputs,
  info: CertificateSetInfo,
  context: PlanContext,
): LeafStep {
  const { name } = spec;
  const authority = info.authorities[spec.signer]?.active;
  const violation = violationOf({
    spec,
    sans: spec.sans(inputs),
    validityDays: inputs.leafValidityDays,
    now: context.now,
    pair: info.leaves[name],
    authority,
    requestedAt: context.requested?.get(name),
  });
  if (violation === undefined) return { name, action: 'keep', reason: 'Valid', message: '' };
  const { reason } = violation;
  const message = `certificate ${name}: ${violation.message}`;
  if (authority !== undefined && authority.notAfter <= context.now)
    return {
      name,
      action: 'hold',
      reason: 'AuthorityExpired',
      message: `${message}, but its authority ${spec.signer} expired at ${authority.notAfter.toISOString()}: replace the authority first`,
    };
  const held = context.held?.get(name);
  return held === undefined
    ? { name, action: 'issue', reason, message }
    : { name, action: 'hold', reason, message: `${message}; held back: ${held}` };
}

/** The user's own authority is the user's to replace: it gets no successor from us. */
function missingSuccessors(inputs: PkiInputs, info: CertificateSetInfo): readonly AuthorityName[] {
  return wantedAuthorities(inputs)
    .map(({ name }) => name)
    .filter((name) => !(name === 'ca' && inputs.customAuthority))
    .filter((name) => {
      const authority = info.authorities[name];
      return authority !== undefined && authority.successor === undefined;
    });
}

/** The same name is rejected for several certificates but reported once. */
function rejectedSans(all: readonly RejectedSan[]): readonly RejectedSan[] {
  const byText = new Map(all.map((item) => [`${item.source}\n${item.value}`, item]));
  return [...byText.values()];
}

/**
 * The names a new certificate gets. While some address is unknown, those of the old one stay in.
 * @param old the certificate that is replaced
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
