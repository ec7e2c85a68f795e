/** Validates the custom CA of the user before its first use. Pure functions. */
import type { AuthorityInfo, CertificateInfo } from './public-info.ts';
import type { Problem } from '../api/reasons/problem.ts';
import { createPublicKey } from 'node:crypto';
import { readAuthority } from './bundle.ts';
import { chainOf, constraintFault, type TrialLeaf } from './ca-constraints.ts';
import { describeCertificate, publicKeyHash } from './certificate-info.ts';
import { certificateBlocks, pemFault } from '../untrusted/pem.ts';
import { OWN_BUNDLE, RSA_BITS } from '../untrusted/limits.ts';
import { noKeyText, readPrivateKey } from '../untrusted/x509.ts';
import { canSign } from './x509.ts';

/** Custom CA that `spec.customCertificate.apiServerCACert` references. */
export interface CustomCA {
  /** `namespace/name` of the Secret */
  readonly secret: string;
  /** PEM; absent if the Secret does not exist */
  readonly files?: CustomCAFiles;
  /** why the operator must not use the Secret */
  readonly refusal?: Problem;
}

export interface CustomCAFiles {
  /** `tls.crt`: the CA certificate, and its intermediate and root CA certificates */
  readonly bundle: string;
  /** `tls.key` */
  readonly key: string;
}

/**
 * Explains why the custom CA cannot sign certificates that clients accept.
 * @param leaves certificates that it would sign
 * @returns a clause that follows the name of the Secret and a colon; undefined if the CA is valid
 */
export function faultOf(
  { files }: CustomCA,
  now: Date,
  leaves: readonly TrialLeaf[],
): string | undefined {
  if (files === undefined) return 'not found';
  const excess = pemFault(files.bundle, OWN_BUNDLE);
  if (excess !== undefined) return `tls.crt ${excess}`;
  const bundle = certificateBlocks(files.bundle);
  const certificates = bundle.map(describeCertificate);
  const readable = certificates.filter((info) => info !== undefined);
  if (readable.length === 0) return 'tls.crt contains no valid PEM certificate';
  if (readable.length < certificates.length) return 'tls.crt contains an invalid certificate';
  const key = readPrivateKey(files.key, RSA_BITS.authority);
  if (key === undefined) return `tls.key contains ${noKeyText(RSA_BITS.authority)}`;
  if (!canSign(key))
    return 'tls.key contains a private key that is neither RSA nor EC on P-256, P-384 or P-521';
  const hash = publicKeyHash(createPublicKey(key));
  const index = readable.findIndex(({ publicKey }) => publicKey === hash);
  const own = readable[index];
  if (own === undefined) return 'the private key in tls.key matches no certificate in tls.crt';
  return (
    faultOfCertificate(own, now) ?? constraintFault(chainOf(bundle[index] ?? '', bundle), leaves)
  );
}

/**
 * Explains how the Secret of a custom CA differs from the CA in use. The operator replaces no CA in use by itself.
 * @param used undefined if there is no CA in use
 * @returns undefined if it does not differ, or if the Secret does not exist or must not be used
 */
export function customDifference(
  { secret, files, refusal }: CustomCA,
  used: AuthorityInfo | undefined,
): string | undefined {
  if (files === undefined || refusal !== undefined || used === undefined) return undefined;
  const field = `spec.customCertificate.apiServerCACert: Secret ${secret}`;
  const custom =
    pemFault(files.bundle, OWN_BUNDLE) === undefined ? readAuthority(files) : undefined;
  if (custom === undefined)
    return `${field}: contains no CA certificate with its private key; the control plane keeps its CA`;
  const { sha256, publicKey } = custom.info.active;
  if (sha256 !== used.active.sha256 && publicKey === used.active.publicKey)
    return `${field}: contains another certificate for the private key of the CA in use, which the control plane does not use; to replace the CA, store one with a new private key`;
  if (sha256 !== used.active.sha256)
    return `${field}: contains another CA than the control plane uses, which keeps its CA; request the rotation of ca to replace it, or restore the CA in use`;
  const trusted = new Set(used.bundle.map(({ sha256 }) => sha256));
  const added = custom.info.bundle.filter(({ sha256 }) => !trusted.has(sha256));
  return added.length === 0
    ? undefined
    : `${field}: contains certificates that the control plane does not trust (${added.length}); request the rotation of ca to replace its CA by the one that was added, or take them out`;
}

/** Explains why a certificate of `tls.crt` is no CA that can sign now. */
export function faultOfCertificate(own: CertificateInfo, now: Date): string | undefined {
  const { isAuthority, notBefore, notAfter } = own;
  if (!isAuthority) return 'the certificate in tls.crt is not a CA certificate';
  if (notAfter <= now) return `the CA certificate in tls.crt expired at ${notAfter.toISOString()}`;
  if (notBefore > now)
    return `the CA certificate in tls.crt is not valid before ${notBefore.toISOString()}`;
  return undefined;
}
