/** What controllers read of Pods and write into them. Pure functions. */
import { createHash } from 'node:crypto';
import {
  conditionOf,
  isTerminating,
  type KubernetesObject,
} from '../../../src/kubernetes/objects/object.ts';
import { canonicalJson } from '../../../src/kubernetes/objects/intent.ts';
import type { Json } from '../api/json.ts';

export interface PodTemplate {
  readonly metadata?: {
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
  };
  readonly spec: Json;
}

export const isReady = (pod: KubernetesObject): boolean =>
  conditionOf(pod, 'Ready')?.status === 'True' && !isTerminating(pod);

/** Whether all containers have ended for good. */
export const hasEnded = ({ status }: KubernetesObject): boolean =>
  ['Succeeded', 'Failed'].includes(String((status as { phase?: string } | undefined)?.phase));

/** Hash of a Pod template, for names and labels. A template that returns has the hash that it had. */
export const templateHash = (template: unknown): string =>
  createHash('sha256').update(canonicalJson(template)).digest('hex').slice(0, 10);

/** A Pod of a template. */
export function podOf(
  owner: KubernetesObject,
  { metadata, spec }: PodTemplate,
  { name, labels, spec: more = {} }: { name: string; labels: Record<string, string>; spec?: Json },
): KubernetesObject {
  const { apiVersion, kind, metadata: of } = owner;
  const reference = { apiVersion, kind, name: of.name, uid: of.uid ?? '' };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      ...(of.namespace !== undefined && { namespace: of.namespace }),
      labels: { ...metadata?.labels, ...labels },
      ...(metadata?.annotations && { annotations: metadata.annotations }),
      ownerReferences: [{ ...reference, controller: true, blockOwnerDeletion: true }],
    },
    spec: { ...spec, ...more },
  };
}

/** UID of the controller of an object. */
export const controllerOf = ({ metadata }: KubernetesObject): string | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
