import { FINALIZER } from '../../../api/karmada.ts';
import type { KubernetesObject } from '../../../kubernetes/objects/object.ts';

/**
 * The patch of a live Karmada that removes the finalizer of this operator; finalizers of other controllers stay. Pure
 * function.
 * @param uid of the deleted Karmada
 * @returns undefined if the Karmada is gone, another one has its name, or the finalizer is removed already
 */
export function finalizerPatch(
  live: KubernetesObject | undefined,
  uid: string | undefined,
): { readonly metadata: object } | undefined {
  if (live === undefined || live.metadata.uid !== uid) return undefined;
  const { resourceVersion, finalizers = [] } = live.metadata;
  if (!finalizers.includes(FINALIZER)) return undefined;
  const others = finalizers.filter((finalizer) => finalizer !== FINALIZER);
  return { metadata: { uid, resourceVersion, finalizers: others } };
}
