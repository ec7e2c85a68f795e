import { generateKeyPair, randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import forge from 'node-forge';
import type { Addresses } from './slot.ts';

interface Pair {
  certificate: forge.pki.Certificate;
  key: forge.pki.rsa.PrivateKey;
}

const day = 24 * 3600 * 1000;

async function rsaKeys(): Promise<{ publicKey: string; privateKey: string }> {
  return promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
}

interface Request {
  commonName: string;
  organization?: string;
  names?: readonly string[];
  addresses?: readonly string[];
}

function subject(request: Request): forge.pki.CertificateField[] {
  const organization = request.organization;
  const own = { name: 'commonName', value: request.commonName };
  return organization === undefined
    ? [own]
    : [{ name: 'organizationName', value: organization }, own];
}

/** Issues a certificate of a year's life; without an issuer it is a self-signed CA. */
async function issue(request: Request, issuer?: Pair): Promise<Pair> {
  const keys = await rsaKeys();
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(keys.publicKey);
  certificate.serialNumber = `01${randomBytes(15).toString('hex')}`;
  certificate.validity.notBefore = new Date(Date.now() - day);
  certificate.validity.notAfter = new Date(Date.now() + 365 * day);
  certificate.setSubject(subject(request));
  certificate.setIssuer(issuer?.certificate.subject.attributes ?? subject(request));
  const altNames = [
    ...(request.names ?? []).map((value) => ({ type: 2, value })),
    ...(request.addresses ?? []).map((ip) => ({ type: 7, ip })),
  ];
  certificate.setExtensions([
    { name: 'basicConstraints', cA: issuer === undefined, critical: true },
    {
      name: 'keyUsage',
      keyCertSign: issuer === undefined,
      digitalSignature: true,
      keyEncipherment: true,
    },
    ...(issuer === undefined ? [] : [{ name: 'extKeyUsage', serverAuth: true, clientAuth: true }]),
    ...(altNames.length === 0 ? [] : [{ name: 'subjectAltName', altNames }]),
  ]);
  const key = forge.pki.privateKeyFromPem(keys.privateKey);
  certificate.sign(issuer?.key ?? key, forge.md.sha256.create());
  return { certificate, key };
}

async function save(directory: string, name: string, pair: Pair): Promise<void> {
  await writeFile(join(directory, `${name}.crt`), forge.pki.certificateToPem(pair.certificate));
  await writeFile(join(directory, `${name}.key`), forge.pki.privateKeyToPem(pair.key), {
    mode: 0o600,
  });
}

/** Writes the cluster's CA, serving, admin and front proxy pairs and its ServiceAccount keys as PEM files. */
export async function writeCertificates(directory: string, addresses: Addresses): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const serviceAccount = rsaKeys();
  const ca = await issue({ commonName: 'kubernetes' });
  const service = 'kubernetes.default.svc.cluster.local'.split('.');
  const [server, admin, proxy] = await Promise.all([
    issue(
      {
        commonName: 'kube-apiserver',
        names: ['localhost', ...[1, 2, 3, 5].map((parts) => service.slice(0, parts).join('.'))],
        addresses: ['127.0.0.1', addresses.node, addresses.kubernetes],
      },
      ca,
    ),
    issue({ commonName: 'admin', organization: 'system:masters' }, ca),
    issue({ commonName: 'front-proxy-client' }, ca),
  ]);
  await save(directory, 'ca', ca);
  await save(directory, 'apiserver', server);
  await save(directory, 'admin', admin);
  await save(directory, 'front-proxy', proxy);
  const { publicKey, privateKey } = await serviceAccount;
  await writeFile(join(directory, 'service-account.pub'), publicKey);
  await writeFile(join(directory, 'service-account.key'), privateKey, { mode: 0o600 });
}
