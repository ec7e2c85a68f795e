/**
 * Recognizes the Secrets that the Go operator wrote for a control plane: pure. A name and a label are no proof, so the
 * content decides: every certificate belongs to the CA in `N(cert)`, which serves the namespace of the Karmada.
 */
import { isUnclaimed } from '../../api/labels.ts';
import { instanceName, KUBECONFIG_SUFFIXES, SECRET_SUFFIX } from '../../api/naming.ts';
import type { Secret } from '../../kubernetes/objects/kinds.ts';
import type { ObjectMeta } from '../../kubernetes/objects/object.ts';
import { readAuthority } from '../../pki/bundle.ts';
import { describePair } from '../../pki/certificate-info.ts';
import { readClientPair } from '../../pki/kubeconfig.ts';
import type { PairInfo } from '../../pki/public-info.ts';
import type { KeyPair } from '../../pki/types.ts';
import { OWN_BUNDLE, OWN_CERTIFICATE } from '../../untrusted/limits.ts';
import { pemFault } from '../../untrusted/pem.ts';
import type { RecognizeSecrets } from '../../instance/own-objects.ts';

/** Names of the Secrets that the Go operator writes, that with the CAs first. */
export function goSecretNames(karmada: string, etcd: 'local' | 'external'): readonly string[] {
  const { cert, webhookCert, adminConfig, etcdCert } = SECRET_SUFFIX;
  // The Secret of an external etcd belongs to the user.
  const own = [cert, webhookCert, adminConfig, ...(etcd === 'local' ? [etcdCert] : [])];
  return [...own, ...KUBECONFIG_SUFFIXES.map((suffix) => `${suffix}-config`)].map((suffix) =>
    instanceName(karmada, suffix),
  );
}

/** CAs of a control plane of the Go operator. */
export interface Anchor {
  /** PEM certificate of the CA that signs. */
  readonly authority: string;
  /** Content of `etcd-ca.crt`; absent with an external etcd. */
  readonly etcdBundle?: string;
}

/**
 * Returns the CAs of the control plane if the Secret `N(cert)` is the one that the Go operator wrote for a Karmada in
 * this namespace.
 */
export function anchorOf(secret: Secret, namespace: string): Anchor | undefined {
  if (!isUnclaimed(secret)) return undefined;
  const text = textsOf(secret);
  const authority = signingCertificate(text);
  if (authority === undefined) return undefined;
  const pair = (name: string): KeyPair => ({
    certificate: text(`${name}.crt`),
    key: text(`${name}.key`),
  });
  const server = describeShort(pair('apiserver'), authority, OWN_CERTIFICATE.leafWithSANs);
  const serves = server.certificate?.dns.includes(`*.${namespace}.svc`) === true;
  if (!serves || server.signer === undefined || !server.keyMatches) return undefined;
  if (!isSigned(pair('karmada'), authority)) return undefined;
  const etcdBundle = text('etcd-ca.crt');
  return { authority, ...(etcdBundle !== '' && { etcdBundle }) };
}

/** Certificate of the CA that signs; undefined if it cannot be one of an own bundle, because each reconcile until the adoption reads it. */
function signingCertificate(text: (name: string) => string): string | undefined {
  const bundle = text('ca.crt');
  if (pemFault(bundle, OWN_BUNDLE) !== undefined) return undefined;
  return readAuthority({ bundle, key: text('ca.key') })?.active.certificate;
}

/** Whether another Secret of the Go operator belongs to the control plane with these CAs. */
export function belongsTo(anchor: Anchor, secret: Secret, karmada: string): boolean {
  if (!isUnclaimed(secret)) return false;
  const text = textsOf(secret);
  const { name } = secret.metadata;
  if (name === instanceName(karmada, SECRET_SUFFIX.etcdCert))
    return anchor.etcdBundle !== undefined && text('etcd-ca.crt') === anchor.etcdBundle;
  if (name === instanceName(karmada, SECRET_SUFFIX.webhookCert))
    return isSigned({ certificate: text('tls.crt'), key: text('tls.key') }, anchor.authority);
  return isKubeconfigOf(anchor, secret);
}

/** Recognizes the Secrets of a control plane of the Go operator, which an adoption would label. */
export const adoptableSecrets =
  ({ name, namespace = '' }: Pick<ObjectMeta, 'name' | 'namespace'>): RecognizeSecrets =>
  (found) => {
    const mark = instanceName(name, SECRET_SUFFIX.cert);
    const cert = found.find(({ metadata }) => metadata.name === mark);
    const anchor = cert && anchorOf(cert, namespace);
    return (secret) => anchor !== undefined && (secret === cert || belongsTo(anchor, secret, name));
  };

/** Whether a Secret contains a kubeconfig for the control plane with these CAs. */
export function isKubeconfigOf({ authority }: Anchor, secret: Secret): boolean {
  const client = readClientPair(textsOf(secret)('karmada.config'));
  return client !== undefined && isSigned(client, authority);
}

/** A certificate above the limit counts as unreadable: the time to read it grows with its size. */
const describeShort = (pair: KeyPair, authority: string, most: number): PairInfo =>
  pair.certificate.length > most ? { keyMatches: false } : describePair(pair, authority);

function isSigned(pair: KeyPair, authority: string): boolean {
  const { signer, keyMatches } = describeShort(pair, authority, OWN_CERTIFICATE.leaf);
  return signer !== undefined && keyMatches;
}

function textsOf(secret: Secret): (key: string) => string {
  const data = secret.data ?? {};
  return (key) => Buffer.from(data[key] ?? '', 'base64').toString('utf8');
}
