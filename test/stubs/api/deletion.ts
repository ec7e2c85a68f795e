/** Deletion of objects: finalizers and grace periods. Pure functions. */
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import type { Json } from './json.ts';
import { omit } from './json.ts';

const DEFAULT_GRACE_SECONDS = 30;

/** Finalizer of a deletion with a propagation policy. */
const OF_POLICY: Readonly<Record<string, string>> = {
  Foreground: 'foregroundDeletion',
  Orphan: 'orphan',
};

export const isTerminating = ({ metadata }: KubernetesObject): boolean =>
  metadata.deletionTimestamp !== undefined;

/** Whether a Namespace may still have objects. */
const hasContent = ({ kind, spec }: KubernetesObject): boolean =>
  kind === 'Namespace' && ((spec as Json)['finalizers'] as readonly string[]).length > 0;

/** Whether nothing keeps a terminating object. Its kubelet deletes a Pod. */
export const isFinal = (object: KubernetesObject): boolean =>
  (object.metadata.finalizers ?? []).length === 0 && object.kind !== 'Pod' && !hasContent(object);

/** Seconds that a Pod has to end. A Pod without a node has no kubelet that would end it. */
function graceOf({ kind, spec }: KubernetesObject, options: Json): number {
  const { nodeName, terminationGracePeriodSeconds } = (spec ?? {}) as Json;
  if (kind !== 'Pod' || nodeName === undefined) return 0;
  const seconds = options['gracePeriodSeconds'] ?? terminationGracePeriodSeconds;
  return Number(seconds ?? DEFAULT_GRACE_SECONDS);
}

function finalizersOf({ metadata }: KubernetesObject, options: Json): readonly string[] {
  const added = OF_POLICY[String(options['propagationPolicy'])];
  const present = metadata.finalizers ?? [];
  return added === undefined ? present : [...new Set([...present, added])];
}

/**
 * An object after its deletion.
 * @param options body of the request, DeleteOptions
 * @returns undefined if it is gone; the object itself if it terminates already
 */
export function afterDeletion(live: KubernetesObject, options: Json): KubernetesObject | undefined {
  const grace = graceOf(live, options);
  const finalizers = finalizersOf(live, options);
  if (grace === 0 && finalizers.length === 0 && !hasContent(live)) return undefined;
  const { generation = 0, ...metadata } = live.metadata;
  const { deletionGracePeriodSeconds: known = 0 } = metadata as {
    deletionGracePeriodSeconds?: number;
  };
  if (isTerminating(live) && known <= grace) return live;
  const end = new Date(Date.now() + grace * 1_000).toISOString().replace(/\.\d+/, '');
  return {
    ...live,
    metadata: {
      ...(finalizers.length === 0 ? omit(metadata, 'finalizers') : { ...metadata, finalizers }),
      name: metadata.name,
      generation: generation + 1,
      deletionTimestamp: end,
      ...(grace > 0 && { deletionGracePeriodSeconds: grace }),
    },
  };
}
