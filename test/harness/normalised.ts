import { createPrivateKey, X509Certificate } from 'node:crypto';
import { load } from 'js-yaml';
import { EFFECTIVE_HASH } from '../../src/components/etcd/effective-hash.ts';
import { CERTIFICATES_HASH_ANNOTATION } from '../../src/components/overlay.ts';
import { APPLIED_HASH } from '../../src/kubernetes/compare.ts';
import type { KubernetesObject } from '../../src/kubernetes/object.ts';
import { CLAIM_ANNOTATION, RECORD_ANNOTATION } from '../../src/reconcile/etcd/birth/record.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Fields that the API server or a controller fills in, and that differ from run to run. */
const assigned: ReadonlySet<string> = new Set([
  ...['uid', 'resourceVersion', 'creationTimestamp', 'generation', 'status', 'managedFields'],
  ...['clusterIP', 'clusterIPs', 'nodePort', 'volumeName'],
  // A claim that is bound at once is never marked for its provisioner.
  ...['volume.kubernetes.io/storage-provisioner', 'volume.beta.kubernetes.io/storage-provisioner'],
]);

/** Annotations made from random material, or from the names of a run. */
const hashes: ReadonlySet<string> = new Set([
  ...[APPLIED_HASH, CERTIFICATES_HASH_ANNOTATION, EFFECTIVE_HASH],
]);

/** Annotations in JSON that name one etcd cluster, which no other install has. */
const etcdRecords: ReadonlySet<string> = new Set([RECORD_ANNOTATION, CLAIM_ANNOTATION]);
/** What differs between the records of two etcd clusters. */
const ofOneCluster: ReadonlySet<string> = new Set(['clusterID', 'token', 'ca', 'data']);

/** The record of an etcd cluster: what it says, but not of which cluster, CA and claims. */
function etcdRecord(text: string): Json {
  const entries = Object.entries(JSON.parse(text) as Record<string, Json>);
  const plain = entries.map(([key, value]) => {
    if (!ofOneCluster.has(key)) return [key, value];
    return [key, Array.isArray(value) ? value.map(() => 'one') : 'one'];
  });
  return Object.fromEntries(plain) as Json;
}

/** The token of an etcd ends with random digits. */
const BIRTH_TOKEN = /(--initial-cluster-token=.*)\.[0-9a-z]{12}$/;

/** A PEM bundle as what its parts are for: two that differ only in keys, serials and dates are equal. */
function pemParts(pem: string): string[] {
  const blocks = pem.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? [];
  return blocks.map((block) => {
    if (block.includes('BEGIN CERTIFICATE')) {
      const { subject, issuer, subjectAltName, ca, keyUsage } = new X509Certificate(block);
      const about = JSON.stringify({ subject, issuer, subjectAltName, ca, keyUsage });
      // A successor's name ends with a part of its serial number.
      return about.replaceAll(/-[0-9a-f]{8}"/g, '-SERIAL"');
    }
    return block.includes('PRIVATE')
      ? `private key ${String(createPrivateKey(block).asymmetricKeyType)}`
      : 'public key';
  });
}

/** A value of a Secret, or a bundle of certificates elsewhere: both are base64. */
function decoded(text: string): Json | undefined {
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

/** A Secret bears our hash only when it was changed after it was made; a write that came late may ask for that. */
function withoutHash({ metadata, ...object }: KubernetesObject): object {
  const others = Object.entries(metadata.annotations ?? {}).filter(([key]) => key !== APPLIED_HASH);
  const annotations = others.length === 0 ? undefined : Object.fromEntries(others);
  return { ...object, metadata: { ...metadata, annotations } };
}

/**
 * Objects by kind and name, without what differs between two installs of the same Karmada in two namespaces.
 * @param namespace text that stands for the namespace of the run
 */
export function normalised(
  objects: readonly KubernetesObject[],
  namespace: string,
): Record<string, Json> {
  const entries = objects.map((object): [string, Json] => {
    const { name, namespace: its = '' } = object.metadata;
    const compared = object.kind === 'Secret' ? withoutHash(object) : object;
    const plain = JSON.stringify(walk(compared as Json));
    const key = `${object.kind} ${its}/${name}`.replaceAll(namespace, 'NAMESPACE');
    return [key, JSON.parse(plain.replaceAll(namespace, 'NAMESPACE')) as Json];
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
