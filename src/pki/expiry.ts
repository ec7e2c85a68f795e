/** Expiry and renewal times of certificates. */
import { wantedAuthorities, wantedLeaves } from './inventory.ts';
import { reissuesForNodes, renewalTime } from './reissue-rules.ts';
import type { CertificateSetInfo } from './set-info.ts';
import type { AuthorityName, LeafName, PkiInputs } from './types.ts';

export interface Expiry {
  readonly name: AuthorityName | LeafName;
  readonly notAfter: Date;
  /** after two thirds of the validity period */
  readonly renewAt: Date;
}

/** Returns all certificates in use, sorted by expiry. */
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

/** CA that signs. */
export interface AuthorityInUse {
  readonly name: AuthorityName;
  /** SHA-256 fingerprint. */
  readonly sha256: string;
  /** End of two thirds of its validity period, wall clock in milliseconds. */
  readonly rotateAt: number;
}

/** Returns the CAs that sign. */
export const authoritiesInUse = (
  inputs: PkiInputs,
  info: CertificateSetInfo,
): readonly AuthorityInUse[] =>
  wantedAuthorities(inputs).flatMap(({ name }) => {
    const active = info.authorities[name]?.active;
    return active === undefined
      ? []
      : [{ name, sha256: active.sha256, rotateAt: renewalTime(active).getTime() }];
  });

/**
 * Returns the next time after `now` at which a leaf certificate is renewed, or reissued for addresses of nodes. Undefined
 * if all times have passed.
 */
export function nextRenewal(
  inputs: PkiInputs,
  info: CertificateSetInfo,
  now: Date,
): Date | undefined {
  const due = wantedLeaves(inputs)
    .flatMap(({ name, sans }) => {
      const certificate = info.leaves[name]?.certificate;
      if (certificate === undefined) return [];
      return [renewalTime(certificate), ...reissuesForNodes(certificate, sans(inputs))];
    })
    .map((date) => date.getTime())
    .filter((time) => time > now.getTime());
  return due.length === 0 ? undefined : new Date(Math.min(...due));
}

/**
 * Returns one message per CA that has passed two thirds of its validity period. The operator never replaces
 * a CA by itself, because all clients must trust the new CA first.
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
      : [`CA ${name}: expires at ${active.notAfter.toISOString()} and should be rotated`];
  });
