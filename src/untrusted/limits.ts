/**
 * Limits for data that users and other servers control. A reader checks the limit before it parses anything, so that no input
 * takes the time or the memory of other control planes. `docs/security.md` lists the inputs with their readers.
 */

const KIB = 1_024;

/** Maximum size of an input in bytes, and of texts in characters. */
export const UNTRUSTED = {
  /** Certificates or public keys in PEM. The CA bundle of Mozilla has 220 KiB. */
  pem: 256 * KIB,
  /** A private key in PEM. A PKCS#8 RSA key with 8,192 bits has 6.3 KiB. */
  privateKey: 64 * KIB,
  /** A kubeconfig. One with a certificate chain has about 20 KiB. */
  kubeconfig: 256 * KIB,
  /** A bearer token. Tokens of ServiceAccounts have about 1 KiB. */
  token: 32 * KIB,
  /** A text that the operator or kubectl stored as a JSON object in a Secret or an annotation, such as a Karmada. */
  storedObject: 1_024 * KIB,
  /** The manifest of a backup has about 2 KiB. */
  manifest: 256 * KIB,
  /** The Secrets and the Karmada in a backup have about 100 KiB. */
  backedUpObjects: 32 * 1_024 * KIB,
  /** A response of an S3 server: a page of 1,000 objects, whose keys have up to 1 KiB. */
  xml: 2 * 1_024 * KIB,
  /** The body of an error response of an API server. */
  errorBody: 1_024 * KIB,
  /** A message of another server, of which conditions show the beginning. */
  message: 16 * KIB,
  /** A JSON value in an annotation or a termination message. An API server accepts 256 KiB of annotations. */
  record: 256 * KIB,
} as const;

/**
 * Maximum length of RSA keys with which the operator signs, in bits. The time of a signature grows with the cube of the length: one with
 * 16,384 bits takes 2 s, and with 65,536 bits minutes. TLS signs in the thread that does everything else, a CA in a thread of its own.
 */
export const RSA_BITS = { client: 4_096, authority: 8_192 } as const;

/**
 * Maximum number of DER values in a certificate without the content of its extensions, and in one extension. One with 256 SANs of the spec has
 * 400; a parser makes an object of each.
 */
export const DER_VALUES = 1_024;

/** Maximum number of values in the kubeconfig of the administrator, which the operator writes with about 30. */
export const OWN_KUBECONFIG_VALUES = 1_000;

/** Maximum number of values in a YAML or JSON document of an input above: 16 MiB of memory hold several times as many. */
export const UNTRUSTED_VALUES = 50_000;

/** Maximum number of tags and attributes in XML. A page of 1,000 objects has about 15,000. */
export const XML_PARTS = 60_000;

/** Nesting levels of JSON. An API server accepts 10,000, with which functions that call themselves exceed their stack. */
export const JSON_DEPTH = 1_000;

/** Maximum size of one certificate in the Secrets of a control plane. One with 256 SANs of the spec has up to 90 KiB. */
export const OWN_CERTIFICATE = {
  authority: 16 * KIB,
  leaf: 16 * KIB,
  leafWithSANs: 128 * KIB,
} as const;

/**
 * Limits for the CAs of a control plane in its own Secrets, and for its ServiceAccount keys: a rotation has two of them. Each
 * reconcile of a changed Secret reads all of them.
 */
export const OWN_BUNDLE = { size: 64 * KIB, blocks: 32, block: OWN_CERTIFICATE.authority } as const;

/** Maximum number of blocks in PEM. The CA bundle of Mozilla has 150 certificates. */
export const PEM_BLOCKS = 500;

/** Input that exceeds a limit. The message is a clause such as `has more than 256 KiB`. */
export class UntrustedLimitError extends Error {
  override readonly name = 'UntrustedLimitError';
}

/** Throws if a text is too long. @param most in characters @throws UntrustedLimitError */
export function checkSize(text: string | Uint8Array, most: number): void {
  if (text.length > most) throw new UntrustedLimitError(`has more than ${sizeText(most)}`);
}

/** Formats a limit for messages, such as `256 KiB`. */
export const sizeText = (bytes: number): string =>
  bytes >= KIB * KIB ? `${Math.round(bytes / KIB / KIB)} MiB` : `${Math.ceil(bytes / KIB)} KiB`;
