/** Content of `objects.json` of a backup: the Karmada and its Secrets. */
import { X509Certificate } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DamagedBackupError } from '../read-backup.ts';

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

/**
 * Checks that a CA of the backup issued the certificate of the API server, and that the private key of this CA is there.
 * @throws DamagedBackupError
 */
export function checkAuthority(content: Buffer): void {
  const { secrets } = JSON.parse(content.toString('utf8')) as BackedUpObjects;
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
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(textOf('-ca-backup', 'ca.key')))
    throw new DamagedBackupError('the backup has no private key of the CA');
}

const isIssuedBy = (certificate: X509Certificate, ca: X509Certificate): boolean =>
  certificate.checkIssued(ca) && certificate.verify(ca.publicKey);

const PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

const certificatesIn = (text: string): readonly X509Certificate[] =>
  (text.match(PEM) ?? []).map((pem) => new X509Certificate(pem));
