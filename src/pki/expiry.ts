/** When certificates end and when the next one is due, for conditions, columns and timers. */
import { wantedAuthorities, wantedLeaves } from './inventory.ts';
import type { CertificatePlan } from './plan.ts';
import { renewalTime } from './policies.ts';
import type { CertificateSetInfo } from './set-info.ts';
import type { AuthorityName, LeafName, PkiInputs } from './types.ts';

export interface Expiry {
  readonly name: AuthorityName | LeafName;
  readonly notAfter: Date;
  /** two thirds into its life */
  readonly renewAt: Date;
}

/** All certificates in use, the one that ends first in front. */
export function expiries(inputs: PkiInputs, info: CertificateSetInfo): readonly Expiry[] {
  const authorities = wantedAuthorities(inputs).map(
    ({ name }) => [name, info.authorities[name]?.active] as const,
  );
  const leaves = wantedLeaves(inputs).map(
    ({ name }) => [name, info.leaves[name]?.certificate] as const,
  );
  return [...authorities, ...leaves]
    .flatMap(([name, certificate]) =>
      certificate === undefined
        ? []
        : [{ name, notAfter: certificate.notAfter, renewAt: renewalTime(certificate) }],
    )
    .sort((one, other) => one.notAfter.getTime() - other.notAfter.getTime());
}

/** When to look again: the next time a leaf becomes due. Times that have passed are left out. */
export function nextRenewal(
  inputs: PkiInputs,
  info: CertificateSetInfo,
  now: Date,
): Date | undefined {
  const due = wantedLeaves(inputs)
    .map(({ name }) => info.leaves[name]?.certificate)
    .filter((certificate) => certificate !== undefined)
    .map((certificate) => renewalTime(certificate).getTime())
    .filter((time) => time > now.getTime());
  return due.length === 0 ? undefined : new Date(Math.min(...due));
}

export interface CertificatesStatus {
  readonly valid: boolean;
  /** CamelCase, for a condition */
  readonly reason: 'Valid' | 'AuthorityExpiring' | 'Pending' | 'Held';
  readonly message: string;
  readonly earliestExpiry?: Date;
}

/** What the condition CertificatesValid and the column Cert-Expiry say. */
export function certificatesStatus(
  inputs: PkiInputs,
  info: CertificateSetInfo,
  plan: CertificatePlan,
  now: Date,
): CertificatesStatus {
  const earliest = expiries(inputs, info)[0];
  const expiry = earliest === undefined ? {} : { earliestExpiry: earliest.notAfter };
  const said = (action: 'hold' | 'issue'): readonly string[] =>
    plan.leaves.filter((step) => step.action === action).map(({ message }) => message);
  const held = said('hold');
  if (held.length > 0) return { valid: false, reason: 'Held', message: held.join('; '), ...expiry };
  const due = said('issue');
  if (due.length > 0)
    return { valid: false, reason: 'Pending', message: due.join('; '), ...expiry };
  const old = agingAuthorities(inputs, info, now);
  if (old.length > 0)
    return { valid: true, reason: 'AuthorityExpiring', message: old.join('; '), ...expiry };
  const message = earliest === undefined ? '' : `the first to expire is ${earliest.name}`;
  return { valid: true, reason: 'Valid', message, ...expiry };
}

/** Authorities are never replaced unasked: whoever trusts them must be told first. */
const agingAuthorities = (
  inputs: PkiInputs,
  info: CertificateSetInfo,
  now: Date,
): readonly string[] =>
  wantedAuthorities(inputs).flatMap(({ name }) => {
    const active = info.authorities[name]?.active;
    return active === undefined || renewalTime(active) > now
      ? []
      : [`authority ${name} expires at ${active.notAfter.toISOString()} and should be rotated`];
  });
