/** Types of public information about certificates, the only part that caches, plans, status and messages contain. */

/** Extended key usage of a certificate. */
export type ExtendedUsage = 'serverAuth' | 'clientAuth';

export interface CertificateInfo {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** one line in the OpenSSL notation */
  readonly issuer: string;
  /** hex */
  readonly serial: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** lower case, sorted */
  readonly dns: readonly string[];
  /** canonical text, sorted */
  readonly ips: readonly string[];
  readonly usages: readonly ExtendedUsage[];
  readonly isAuthority: boolean;
  /** SHA-256 of the certificate, hex */
  readonly sha256: string;
  /** SHA-256 of the public key (SubjectPublicKeyInfo), hex */
  readonly publicKey: string;
}

/** Which certificate it is. */
export type CertificateIdentity = Pick<CertificateInfo, 'sha256' | 'publicKey'>;

/** Public information about a certificate authority (CA), read once with its files. */
export interface AuthorityInfo {
  readonly active: CertificateInfo;
  readonly successor?: CertificateInfo;
  /** predecessor, if its private key still exists */
  readonly retired?: CertificateInfo;
  /** successor that no bundle contains yet */
  readonly unpublished?: CertificateInfo;
  /** complete bundle, `active` first */
  readonly bundle: readonly Pick<CertificateInfo, 'sha256'>[];
}

/** Public information about a certificate and its private key. */
export interface PairInfo {
  /** absent if the certificate is unreadable */
  readonly certificate?: CertificateInfo;
  readonly keyMatches: boolean;
  /** `sha256` of the active CA if it has signed the certificate, after signature verification */
  readonly signer?: string;
}
