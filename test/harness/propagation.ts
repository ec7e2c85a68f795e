import type { PropagationView } from '../../src/cli/propagation/read-propagation.ts';
import type { Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { runPlugin } from './plugin.ts';

interface KarmadaKey {
  readonly name: string;
  readonly namespace: string;
}

/** Output of the command `propagation`. */
export function propagationText(
  cluster: Cluster,
  { name, namespace }: KarmadaKey,
  ...flags: readonly string[]
): Promise<string> {
  return runPlugin(cluster, ['propagation', name, '-n', namespace, ...flags]);
}

/** Result of the command `propagation`. */
export const propagationOf = async (cluster: Cluster, key: KarmadaKey): Promise<PropagationView> =>
  JSON.parse(await propagationText(cluster, key, '-o', 'json')) as PropagationView;
