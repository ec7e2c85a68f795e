import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import forge from 'node-forge';

/** A certificate and its private key, both PEM. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** Subject and SANs of a test certificate. */
export interface Subject {
  readonly commonName: string;
  readonly organization?: string;
  /** DNS names and IP addresses; set only for serving certificates. */
  readonly hosts?: readonly string[];
}

const generate = promisify(generateKeyPair);

async function newKey(): Promise<forge.pki.rsa.KeyPair & { pem: string }> {
  const { privateKey } = await generate('rsa', { modulusLength: 2048 });
  const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  const key = forge.pki.privateKeyFromPem(pem);
  return { privateKey: key, publicKey: forge.pki.setRsaPublicKey(key.n, key.e), pem };
}

function attributes(subject: Subject): forge.pki.CertificateField[] {
  const organization = subject.organization;
  return [
    { name: 'commonName', value: subject.commonName },
    ...(organization === undefined ? [] : [{ name: 'organizationName', value: organization }]),
  ];
}

function altNames(hosts: readonly string[]): object[] {
  return hosts.map((host) =>
    /^[\d.]+$|:/.test(host) ? { type: 7, ip: host } : { type: 2, value: host },
  );
}

/** Issues a certificate that is valid for one year. Without `issuer` it is a self-signed CA. */
export async function newPair(subject: Subject, issuer?: Pair): Promise<Pair> {
  const key = await newKey();
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = key.publicKey;
  certificate.serialNumber = `01${randomBytes(8).toString('hex')}`;
  certificate.validity.notBefore = new Date(Date.now() - 60_000);
  certificate.validity.notAfter = new Date(Date.now() + 365 * 86_400_000);
  certificate.setSubject(attributes(subject));
  if (issuer === undefined) {
    certificate.setIssuer(attributes(subject));
    certificate.setExtensions([
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, digitalSignature: true },
    ]);
    certificate.sign(key.privateKey, forge.md.sha256.create());
  } else {
    certificate.setIssuer(forge.pki.certificateFromPem(issuer.cert).subject.attributes);
    certificate.setExtensions([
      { name: 'keyUsage', digitalSignature: true, keyEncipherment: true },
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
      ...(subject.hosts ? [{ name: 'subjectAltName', altNames: altNames(subject.hosts) }] : []),
    ]);
    certificate.sign(forge.pki.privateKeyFromPem(issuer.key), forge.md.sha256.create());
  }
  return { cert: forge.pki.certificateToPem(certificate), key: key.pem };
}
