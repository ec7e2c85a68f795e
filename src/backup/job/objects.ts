/** Content of `objects.json` of a backup: the Karmada and its Secrets. */
import { createHash, type X509Certificate } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Manifest } from '../format/manifest-type.ts';
import { isObject } from '../../kubernetes/objects/compare.ts';
import { DamagedBackupError } from '../read-backup.ts';
import { parseJsonWithin } from '../../untrusted/documents.ts';
import { UNTRUSTED, UntrustedLimitError } from '../../untrusted/limits.ts';
import { certificateBlocks, pemBlocks } from '../../untrusted/pem.ts';
import { readCertificate } from '../../untrusted/x509.ts';

interface BackedUpSecret {
  readonly name: string;
  /** Base64 by key, as in `data` of a Secret. */
  readonly data: Readonly<Record<string, string>>;
}

interface BackedUpObjects {
  readonly karmada: unknown;
  readonly secrets: readonly BackedUpSecret[];
}

/**
 * Reads mounted Secrets. Equal content gives equal bytes.
 * @param folder with one folder for each Secret
 */
export async function readObjects(
  karmada: unknown,
  folder: string,
  names: readonly string[],
): Promise<Buffer> {
  const secrets = await Promise.all(
    names.toSorted().map(async (name) => ({ name, data: await readSecret(join(folder, name)) })),
  );
  const objects: BackedUpObjects = { karmada, secrets };
  return Buffer.from(JSON.stringify(objects));
}

async function readSecret(folder: string): Promise<Record<string, string>> {
  // Kubernetes adds hidden folders for updates of the volume.
  const keys = (await readdir(folder)).filter((key) => !key.startsWith('..')).sort();
  const entries = keys.map(
    async (key) => [key, await readFile(join(folder, key), 'base64')] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

/** The Secrets of a backup. @throws DamagedBackupError if the content is not that of `readObjects` */
function secretsIn(content: Buffer): readonly BackedUpSecret[] {
  try {
    const objects = parseJsonWithin(content.toString('utf8'), LIMITS);
    if (
      isObject(objects) &&
      Array.isArray(objects['secrets']) &&
      objects['secrets'].every(isSecret)
    )
      return objects['secrets'];
  } catch (error) {
    if (error instanceof UntrustedLimitError)
      throw new DamagedBackupError(`objects.json ${error.message}`);
  }
  throw new DamagedBackupError('objects.json of the backup is unreadable');
}

const LIMITS = { size: UNTRUSTED.backedUpObjects, values: 200_000 };

const isSecret = (value: unknown): value is BackedUpSecret =>
  isObject(value) &&
  typeof value['name'] === 'string' &&
  isObject(value['data']) &&
  Object.values(value['data']).every((one) => typeof one === 'string');

/**
 * Checks that a CA of the backup issued the certificate of the API server, and that the private key of this CA is there.
 * @returns SHA-256 fingerprint of this CA
 * @throws DamagedBackupError
 */
export function checkAuthority(content: Buffer): string {
  const secrets = secretsIn(content);
  const textOf = (suffix: string, key: string): string => {
    const data = secrets.find(({ name }) => name.endsWith(suffix))?.data[key];
    if (data === undefined)
      throw new DamagedBackupError(`the backup has no Secret *${suffix} with the key ${key}`);
    return Buffer.from(data, 'base64').toString('utf8');
  };
  const issuers = certificatesIn(textOf('-ca-backup', 'ca.crt'));
  const [server] = certificatesIn(textOf('-cert', 'apiserver.crt'));
  const issuer = issuers.find((ca) => server !== undefined && isIssuedBy(server, ca));
  if (issuer === undefined)
    throw new DamagedBackupError('no CA of the backup issued the certificate of the API server');
  if (!pemBlocks(textOf('-ca-backup', 'ca.key')).some(({ label }) => label.endsWith('PRIVATE KEY')))
    throw new DamagedBackupError('the backup has no private key of the CA');
  return fingerprintOf(issuer);
}

/** As `openssl x509 -fingerprint -sha256` prints it, in lower case and without colons. */
const fingerprintOf = ({ raw }: X509Certificate): string =>
  createHash('sha256').update(raw).digest('hex');

/** SHA-256 fingerprints of the certificates of a PEM bundle. */
const fingerprintsIn = (bundle: string): readonly string[] =>
  certificatesIn(bundle).map(fingerprintOf);

/**
 * Checks that a control plane trusts a CA of the backup. Otherwise credentials in the restored data are not valid.
 * @param content of `objects.json`
 * @param current PEM bundle of the CAs of the control plane
 * @param confirmed SHA-256 fingerprint of the CA of the backup, if a user has confirmed that it differs
 * @throws DamagedBackupError
 */
export function checkSameAuthority(content: Buffer, current: string, confirmed?: string): void {
  const secrets = secretsIn(content);
  const backup = secrets.find(({ name }) => name.endsWith('-ca-backup'))?.data['ca.crt'] ?? '';
  const trusted = new Set(fingerprintsIn(current));
  const saved = fingerprintsIn(Buffer.from(backup, 'base64').toString('utf8'));
  if (saved.some((one) => trusted.has(one) || one === confirmed)) return;
  throw new DamagedBackupError(
    'the backup is of a control plane with another CA, whose credentials would not be valid; create the Karmada with the Secret NAME-ca-backup of the backup first',
  );
}

/**
 * Checks that a Karmada has the name that the data of a backup contains: objects in the control plane have it in their labels and
 * names, and the operator leaves objects of another Karmada alone. The namespace may differ.
 * @throws DamagedBackupError
 */
export function checkSameName(saved: Manifest['karmada'], current: Manifest['karmada']): void {
  if (saved.name === current.name) return;
  throw new DamagedBackupError(
    `spec.karmadaRef.name: the backup is of Karmada ${saved.namespace}/${saved.name}, whose data cannot be used under another name, and not ${current.name}; create a Karmada with the former name, in any namespace`,
  );
}

const isIssuedBy = (certificate: X509Certificate, ca: X509Certificate): boolean =>
  certificate.checkIssued(ca) && certificate.verify(ca.publicKey);

const certificatesIn = (text: string): readonly X509Certificate[] =>
  certificateBlocks(text).flatMap((pem) => readCertificate(pem) ?? []);
