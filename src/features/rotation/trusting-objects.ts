/**
 * Objects in a control plane that tell others which CAs to trust, and which the operator writes: pure. Users may change them, so
 * nothing about their fields is known.
 */
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { fieldsOf } from '../../kubernetes/objects/records.ts';
import { identifyCertificate } from '../../pki/certificate-info.ts';
import { OWN_BUNDLE } from '../../untrusted/limits.ts';
import { certificateBlocks, pemFault } from '../../untrusted/pem.ts';
import type { AuthorityFacts } from './facts.ts';

type ObjectFacts = AuthorityFacts['objects'][number];

/** ConfigMap with the CAs for clusters that register. */
export const CLUSTER_INFO = { namespace: 'kube-public', name: 'cluster-info' } as const;

/** Bundles of an object, base64, as its API names them. */
function encodedIn({ kind, ...object }: KubernetesObject): readonly unknown[] {
  if (kind === 'APIService') return [fieldsOf(object['spec'])['caBundle']];
  if (kind === 'CustomResourceDefinition') {
    const { webhook } = fieldsOf(fieldsOf(object['spec'])['conversion']);
    return [fieldsOf(fieldsOf(webhook)['clientConfig'])['caBundle']];
  }
  if (kind === 'ConfigMap') return kubeconfigCas(fieldsOf(object['data'])['kubeconfig']);
  const webhooks = object['webhooks'];
  return Array.isArray(webhooks)
    ? webhooks.map((one) => fieldsOf(fieldsOf(one)['clientConfig'])['caBundle'])
    : [];
}

const kubeconfigCas = (text: unknown): readonly unknown[] =>
  typeof text === 'string'
    ? [...text.matchAll(/certificate-authority-data: (\S+)/g)].map(([, value]) => value)
    : [];

const isBundle = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** An object with its different bundles, base64, and nothing else. */
export interface TrustingObject extends KubernetesObject {
  readonly bundles: readonly string[];
}

/** Keeps only the bundles of an object. @returns undefined if it has none */
export function reducedToBundles(object: KubernetesObject): TrustingObject | undefined {
  const bundles = [...new Set(encodedIn(object).filter(isBundle))];
  const { apiVersion, kind, metadata } = object;
  return bundles.length === 0
    ? undefined
    : { apiVersion, kind, metadata: { name: metadata.name }, bundles };
}

/** Different bundles that are parsed. The operator writes one into all objects; a change of it needs two. */
export const MAX_BUNDLES = 32;

/** Describes the CAs that objects name, one row for each different bundle. @param observedAt monotonic */
export function trustedBy(
  objects: readonly TrustingObject[],
  observedAt: number,
): readonly ObjectFacts[] {
  const all = new Set(objects.flatMap(({ bundles }) => bundles));
  const roots = new Map([...all].slice(0, MAX_BUNDLES).map((one) => [one, rootsIn(one)] as const));
  return objects.flatMap(({ kind, metadata, bundles }) =>
    bundles.map((bundle): ObjectFacts => {
      const what = { name: `${kind} ${metadata.name}`, kind: 'bundle' as const };
      const found = roots.get(bundle);
      return found === undefined
        ? { ...what, roots: [], observedAt: -Infinity }
        : { ...what, roots: found, observedAt };
    }),
  );
}

/** @returns undefined for a bundle above the limits, of which nothing is known */
function rootsIn(bundle: string): readonly string[] | undefined {
  if (bundle.length > Math.ceil(OWN_BUNDLE.size / 3) * 4) return undefined;
  const text = Buffer.from(bundle, 'base64').toString('utf8');
  if (pemFault(text, OWN_BUNDLE) !== undefined) return undefined;
  return certificateBlocks(text).map((pem) => identifyCertificate(pem)?.sha256 ?? '');
}

/** Objects that were not read, which is never a proof. */
export const UNREAD_OBJECTS: readonly ObjectFacts[] = [
  { name: 'objects of the control plane', kind: 'bundle', roots: [], observedAt: -Infinity },
];
