/** CA that the Secret of a custom CA offers in place of the one in use: pure. */
import { readCertificate } from '../untrusted/x509.ts';
import { readAuthority } from './bundle.ts';
import { constraintFault, type TrialLeaf } from './ca-constraints.ts';
import { describeCertificate } from './certificate-info.ts';
import { faultOf, faultOfCertificate, type CustomCA } from './custom-ca.ts';
import type { CertificateInfo } from './public-info.ts';
import { readStructure } from './structure.ts';
import type { Authority } from './types.ts';

/** What the Secret offers. */
export interface Offer {
  /** Why the CA in use cannot be replaced: a clause that follows the name of the Secret and a colon. */
  readonly fault?: string;
  readonly offered?: CertificateInfo;
  /** CA that the Secret can sign with, whether or not it is the offered one. */
  readonly provided?: CertificateInfo;
}

/** A CA in use: its certificate, PEM, and what it is known by. */
interface UsedCA {
  readonly pem: string;
  readonly info: Pick<CertificateInfo, 'sha256' | 'publicKey' | 'notAfter'>;
}

interface Trial {
  readonly now: Date;
  /** Certificates that the CA would sign. */
  readonly leaves: readonly TrialLeaf[];
}

/** Reads a custom CA that can sign. @returns undefined if it cannot, or if the Secret does not exist or must not be used */
export function providedAuthority(custom: CustomCA, { now, leaves }: Trial): Authority | undefined {
  if (custom.refusal !== undefined || custom.files === undefined) return undefined;
  return faultOf(custom, now, leaves) === undefined ? readAuthority(custom.files) : undefined;
}

/** Finds the other CA of the Secret: that of the private key, or else the certificate that a user has appended. */
export function offeredCA(custom: CustomCA, used: UsedCA, trial: Trial): Offer {
  const own = providedAuthority(custom, trial);
  if (own === undefined) return { fault: unprovided(custom, trial) };
  return { ...offerBeside(own, used, trial), provided: own.info.active };
}

function offerBeside(own: Authority, used: UsedCA, trial: Trial): Offer {
  const { active: info } = own.info;
  const others = othersIn(own.trusted, used);
  const isSwapped = info.publicKey !== used.info.publicKey;
  if (others.length > (isSwapped ? 0 : 1)) return { fault: tooMany(others.length) };
  if (isSwapped) return offerOf({ pem: own.active.certificate, info }, used);
  // A renewed certificate comes first, or takes the place of the one in use.
  return info.sha256 === used.info.sha256 ? appendedIn(others, used, trial) : { fault: SAME_KEY };
}

const unprovided = (custom: CustomCA, { now, leaves }: Trial): string =>
  custom.refusal?.message ??
  faultOf(custom, now, leaves) ??
  'contains no CA certificate with its private key';

function appendedIn([appended]: readonly Offered[], used: UsedCA, { now, leaves }: Trial): Offer {
  if (appended === undefined) return { fault: NO_OTHER };
  const fault = faultOfCertificate(appended.info, now) ?? constraintFault([appended.pem], leaves);
  return fault === undefined ? offerOf(appended, used) : { fault };
}

const NO_OTHER =
  'contains no CA besides the one in use; append the certificate of the new CA to tls.crt, or store both its certificate and its private key';
const SAME_KEY =
  'contains another certificate for the private key of the CA in use, so that nothing shows which of both a component trusts; store a CA with a new private key';
const tooMany = (count: number): string =>
  `tls.crt contains ${String(count)} further CA certificates, which the rotation would not keep; store only the CA in use and the one that replaces it`;

interface Offered {
  readonly pem: string;
  readonly info: CertificateInfo;
}

const othersIn = (trusted: readonly string[], used: UsedCA): readonly Offered[] =>
  trusted
    .flatMap((pem) => {
      const info = describeCertificate(pem);
      return info === undefined ? [] : [{ pem, info }];
    })
    .filter(({ info }) => info.sha256 !== used.info.sha256);

function offerOf(other: Offered, used: UsedCA): Offer {
  const fault = faultBeside(other, used);
  return fault === undefined ? { offered: other.info } : { fault };
}

/** Why a CA cannot take the place of another one. */
function faultBeside({ pem, info }: Offered, used: UsedCA): string | undefined {
  if (info.publicKey === used.info.publicKey) return SAME_KEY;
  // After a rotation, tls.crt may still contain the former CA, which must not replace the new one again.
  if (info.notAfter <= used.info.notAfter)
    return 'the other CA certificate in tls.crt does not expire after the CA in use; store one that expires later';
  if (isAmbiguous(pem, used.pem))
    return 'both CA certificates have the same subject and lack the subject key identifier, so that clients cannot distinguish them; store a CA with another subject';
  const below = constraintFault([pem, used.pem], []);
  return (
    below &&
    `clients with a copy of the CA in use would not accept certificates of the other one: ${below}`
  );
}

/** OpenSSL finds the issuer of a certificate by its subject and key identifier. */
function isAmbiguous(...pems: readonly [string, string]): boolean {
  const [one, other] = pems.map(readCertificate);
  if (one === undefined || other === undefined) return true;
  if (one.subject !== other.subject) return false;
  return [one, other].some(({ raw }) => readStructure(raw).subjectKeyId === undefined);
}
