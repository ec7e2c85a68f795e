/** When certificates end and when the next one is due. */
import { wantedAuthorities, wantedLeaves } from './inventory.ts';
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

/**
 * Authorities that have passed two thirds of their life, one sentence each. They are never replaced unasked:
 * whoever trusts them must be told first.
 */
export const agingAuthorities = (
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
