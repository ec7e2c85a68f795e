import { generateKeyPair } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newPair, type Pair } from './certificate-pair.ts';
import type { ClusterSettings } from './configuration.ts';

async function save(directory: string, name: string, pair: Pair): Promise<void> {
  await writeFile(join(directory, `${name}.crt`), pair.cert);
  await writeFile(join(directory, `${name}.key`), pair.key, { mode: 0o600 });
}

async function saveServiceAccountKeys(directory: string): Promise<void> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  await writeFile(join(directory, 'service-account.pub'), publicKey);
  await writeFile(join(directory, 'service-account.key'), privateKey, { mode: 0o600 });
}

/** Writes the CA, serving, admin and front proxy certificates and the ServiceAccount keys as PEM files. */
export async function writeCertificates(
  directory: string,
  { addresses, dnsDomain }: Pick<ClusterSettings, 'addresses' | 'dnsDomain'>,
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const ca = await newPair({ commonName: 'kubernetes' });
  const names = ['', '.default', '.default.svc', `.default.svc.${dnsDomain}`].map(
    (rest) => `kubernetes${rest}`,
  );
  const hosts = ['localhost', ...names, '127.0.0.1', addresses.node, addresses.kubernetes];
  const pairs = {
    apiserver: newPair({ commonName: 'kube-apiserver', hosts }, ca),
    admin: newPair({ commonName: 'admin', organization: 'system:masters' }, ca),
    'front-proxy': newPair({ commonName: 'front-proxy-client' }, ca),
  };
  await save(directory, 'ca', ca);
  for (const [name, pair] of Object.entries(pairs)) await save(directory, name, await pair);
  await saveServiceAccountKeys(directory);
}
