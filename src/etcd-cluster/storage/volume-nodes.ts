/** Which nodes the volume of an etcd member needs, and whether they are lost: pure. */
import {
  HOSTNAME,
  isNodeReady,
  isOutOfService,
  OUT_OF_SERVICE,
} from '../../kubernetes/objects/node.ts';
import type { Node, PersistentVolume } from '../../kubernetes/objects/kinds.ts';

/**
 * Host names of the nodes that can mount a PersistentVolume.
 * @returns empty if nodes without these host names could mount it, too
 */
export function hostNamesOf(volume: PersistentVolume): readonly string[] {
  const { nodeAffinity } = volume.spec ?? {};
  const terms = nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const names = terms.map(({ matchExpressions = [] }) =>
    matchExpressions
      .filter(({ key, operator }) => key === HOSTNAME && operator === 'In')
      .flatMap(({ values = [] }) => values),
  );
  return names.some((found) => found.length === 0) ? [] : names.flat();
}

/** State of the only nodes that can mount a volume. */
export type VolumeNodes =
  /** None of them exists and is in service. `text`: completes a sentence after "because". */
  | { readonly kind: 'lost'; readonly text: string }
  /** One exists and is not ready. */
  | { readonly kind: 'unready'; readonly node: string };

/**
 * Returns the state of the only nodes that can mount a volume.
 * @param nodes all Nodes with the host names that the volume requires
 * @returns undefined if one of them is ready, or if other nodes can mount the volume
 */
export function volumeNodes(
  volume: PersistentVolume,
  nodes: readonly Node[],
): VolumeNodes | undefined {
  const hosts = hostNamesOf(volume);
  if (hosts.length === 0) return undefined;
  const names = new Set(hosts);
  const own = nodes.filter(({ metadata }) => names.has(metadata.labels?.[HOSTNAME] ?? ''));
  const inService = own.filter((node) => !isOutOfService(node));
  const unready = inService.find((node) => !isNodeReady(node));
  if (inService.length === 0) {
    const state = own.length === 0 ? 'does not exist' : `has the taint ${OUT_OF_SERVICE}`;
    const text = `Node ${hosts.join(', ')} of PersistentVolume ${volume.metadata.name} ${state}`;
    return { kind: 'lost', text };
  }
  if (unready === undefined || inService.some(isNodeReady)) return undefined;
  return { kind: 'unready', node: unready.metadata.name };
}
