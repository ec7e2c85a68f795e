/**
 * Objects in a control plane that tell others which CAs to trust, and which the operator writes: pure. Users may change them, so
 * nothing about their fields is known.
 */
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { fieldsOf } from '../../kubernetes/records.ts';
import { identifyCertificate } from '../../pki/certificate-info.ts';
import { certificateBlocks } from '../../untrusted/pem.ts';
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

/** Describes the CAs that objects name, one row for each different bundle. @param observedAt monotonic */
export const trustedBy = (
  objects: readonly TrustingObject[],
  observedAt: number,
): readonly ObjectFacts[] =>
  objects.flatMap(({ kind, metadata, bundles }) =>
    bundles.map((bundle) => ({
      name: `${kind} ${metadata.name}`,
      kind: 'bundle' as const,
      roots: rootsIn(bundle),
      observedAt,
    })),
  );

const rootsIn = (bundle: string): readonly string[] =>
  certificateBlocks(Buffer.from(bundle, 'base64').toString('utf8')).map(
    (pem) => identifyCertificate(pem)?.sha256 ?? '',
  );

/** Objects that were not read, which is never a proof. */
export const UNREAD_OBJECTS: readonly ObjectFacts[] = [
  { name: 'objects of the control plane', kind: 'bundle', roots: [], observedAt: -Infinity },
];
