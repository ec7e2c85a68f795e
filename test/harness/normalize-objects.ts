import { createPrivateKey, X509Certificate } from 'node:crypto';
import { load } from 'js-yaml';
import { EFFECTIVE_HASH, OTHER_SIZE_HASH } from '../../src/components/etcd/effective-hash.ts';
import { CERTIFICATES_HASH_ANNOTATION } from '../../src/components/overlay.ts';
import { APPLIED_HASH } from '../../src/kubernetes/objects/compare.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { CLAIM_ANNOTATION, RECORD_ANNOTATION } from '../../src/etcd-cluster/identity/record.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Fields that the API server or a controller sets, and that differ between runs. */
const assigned: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'generation',
  'status',
  'managedFields',
  'clusterIP',
  'clusterIPs',
  'nodePort',
  'volumeName',
  // A PVC that is bound immediately is never annotated with its provisioner.
  'volume.kubernetes.io/storage-provisioner',
  'volume.beta.kubernetes.io/storage-provisioner',
]);

/** Annotations with hashes of random data or of names that differ between runs. */
const hashes: ReadonlySet<string> = new Set([
  APPLIED_HASH,
  CERTIFICATES_HASH_ANNOTATION,
  EFFECTIVE_HASH,
  OTHER_SIZE_HASH,
  'operator.karmada.io/etcd-initial-trust',
]);

/** Annotations in JSON that identify one etcd cluster. */
const etcdRecords: ReadonlySet<string> = new Set([RECORD_ANNOTATION, CLAIM_ANNOTATION]);
/** Fields that differ between the records of two etcd clusters. */
const ofOneCluster: ReadonlySet<string> = new Set(['clusterID', 'token', 'ca', 'data']);

/** Record of an etcd cluster with placeholders for cluster ID, CA and PVCs. */
function etcdRecord(text: string): Json {
  const entries = Object.entries(JSON.parse(text) as Record<string, Json>);
  const plain = entries.map(([key, value]) => {
    if (!ofOneCluster.has(key)) return [key, value];
    return [key, Array.isArray(value) ? value.map(() => 'one') : 'one'];
  });
  return Object.fromEntries(plain) as Json;
}

/** The etcd cluster token ends with random digits. */
const BIRTH_TOKEN = /(--initial-cluster-token=.*)\.[0-9a-z]{12}$/;

/**
 * Replaces each part of a PEM bundle by its purpose. Bundles that differ only in keys, serial numbers and dates are
 * equal.
 */
function pemParts(pem: string): string[] {
  const blocks = pem.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? [];
  return blocks.map((block) => {
    if (block.includes('BEGIN CERTIFICATE')) {
      const { subject, issuer, subjectAltName, ca, keyUsage } = new X509Certificate(block);
      const about = JSON.stringify({ subject, issuer, subjectAltName, ca, keyUsage });
      // The common name of a successor CA ends with a part of its serial number.
      return about.replaceAll(/-[0-9a-f]{8}"/g, '-SERIAL"');
    }
    return block.includes('PRIVATE')
      ? `private key ${String(createPrivateKey(block).asymmetricKeyType)}`
      : 'public key';
  });
}

/** Decodes a base64 value of a Secret, a base64 certificate bundle elsewhere, or a kubeconfig in a ConfigMap. */
function decoded(text: string): Json | undefined {
  if (text.startsWith('apiVersion:')) return walk(load(text) as Json);
  if (!/^[A-Za-z0-9+/]{40,}=*$/.test(text)) return undefined;
  const plain = Buffer.from(text, 'base64').toString('utf8');
  if (plain.startsWith('-----BEGIN ')) return pemParts(plain);
  if (plain.startsWith('apiVersion:')) return walk(load(plain) as Json);
  return undefined;
}

function walk(value: Json): Json {
  if (typeof value === 'string') {
    return decoded(value) ?? value.replace(BIRTH_TOKEN, '$1.RANDOM');
  }
  if (Array.isArray(value)) return value.map(walk);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(([key]) => !assigned.has(key));
  return Object.fromEntries(entries.map(([key, item]) => [key, walkField(key, item)]));
}

function walkField(key: string, item: Json): Json {
  if (hashes.has(key)) return 'a hash';
  return etcdRecords.has(key) && typeof item === 'string' ? etcdRecord(item) : walk(item);
}

/**
 * Removes the hash annotation from a Secret. It exists only if the Secret was changed after creation, which depends
 * on timing.
 */
function withoutHash({ metadata, ...object }: KubernetesObject): object {
  const others = Object.entries(metadata.annotations ?? {}).filter(([key]) => key !== APPLIED_HASH);
  const annotations = others.length === 0 ? undefined : Object.fromEntries(others);
  return { ...object, metadata: { ...metadata, annotations } };
}

/** Replaces the addresses of Services, which also stand in certificates, by the names of the Services. */
function withoutAddresses(objects: readonly KubernetesObject[]): (text: string) => string {
  const names = new Map(
    objects.flatMap(({ kind, metadata, spec }) => {
      const { clusterIPs = [] } = (spec ?? {}) as { clusterIPs?: readonly string[] };
      return kind === 'Service' ? clusterIPs.map((ip) => [ip, `IP of ${metadata.name}`]) : [];
    }) as [string, string][],
  );
  const plain = (text: string): string =>
    text.replaceAll(/[\d.]{7,15}/g, (ip) => names.get(ip) ?? ip);
  // The names of a certificate are in the order of their addresses.
  const sorted = (list: string): string => plain(list).split(', ').sort().join(', ');
  return (text) => plain(text.replaceAll(/DNS:[^"\\]*/g, sorted));
}

/**
 * Objects by kind and name, without parts that differ between two installations of the same Karmada in two
 * namespaces.
 * @param namespace text to replace by a placeholder for the namespace of the run
 * @param installed all objects with all fields, of which the addresses of Services are taken
 */
export function normalised(
  objects: readonly KubernetesObject[],
  namespace: string,
  installed: readonly KubernetesObject[] = objects,
): Record<string, Json> {
  const without = withoutAddresses(installed);
  const entries = objects.map((object): [string, Json] => {
    const { name, namespace: its = '' } = object.metadata;
    const compared = object.kind === 'Secret' ? withoutHash(object) : object;
    const plain = without(JSON.stringify(walk(compared as Json)));
    const key = `${object.kind} ${its}/${name}`.replaceAll(namespace, 'NAMESPACE');
    return [key, JSON.parse(plain.replaceAll(namespace, 'NAMESPACE')) as Json];
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
