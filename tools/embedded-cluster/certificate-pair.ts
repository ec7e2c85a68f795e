import { generateKeyPair, randomBytes, sign } from 'node:crypto';
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

/** Signs a certificate. Node.js needs a hundredth of the CPU time of node-forge for that. @param key PEM */
function signWith(certificate: forge.pki.Certificate, key: string): void {
  const signature = (): string => {
    const { tbsCertificate } = certificate as forge.pki.Certificate & {
      tbsCertificate: forge.asn1.Asn1;
    };
    const bytes = Buffer.from(forge.asn1.toDer(tbsCertificate).getBytes(), 'latin1');
    return sign('sha256', bytes, key).toString('latin1');
  };
  const signer: Pick<forge.pki.rsa.PrivateKey, 'sign'> = { sign: signature };
  certificate.sign(signer as forge.pki.rsa.PrivateKey, forge.md.sha256.create());
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
  const { publicKey, privateKey: key } = await generate('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey);
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
  } else {
    certificate.setIssuer(forge.pki.certificateFromPem(issuer.cert).subject.attributes);
    certificate.setExtensions([
      { name: 'keyUsage', digitalSignature: true, keyEncipherment: true },
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
      ...(subject.hosts ? [{ name: 'subjectAltName', altNames: altNames(subject.hosts) }] : []),
    ]);
  }
  signWith(certificate, issuer?.key ?? key);
  return { cert: forge.pki.certificateToPem(certificate), key };
}
