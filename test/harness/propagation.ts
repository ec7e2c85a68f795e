import { join } from 'node:path';
import type { PropagationView } from '../../src/cli/propagation/read-propagation.ts';
import type { Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';

interface KarmadaKey {
  readonly name: string;
  readonly namespace: string;
}

/** Output of the command `propagation`. */
export function propagationText(
  { kubeconfig }: Cluster,
  { name, namespace }: KarmadaKey,
  ...flags: readonly string[]
): Promise<string> {
  const node = [process.execPath, '--disable-warning=ExperimentalWarning'];
  const command = [join(checkout, 'scripts/cli.ts'), 'propagation', name, '-n', namespace];
  return run([...node, ...command, ...flags, '--kubeconfig', kubeconfig]);
}

/** Result of the command `propagation`. */
export const propagationOf = async (cluster: Cluster, key: KarmadaKey): Promise<PropagationView> =>
  JSON.parse(await propagationText(cluster, key, '-o', 'json')) as PropagationView;
