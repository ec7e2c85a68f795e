/** The kubectl plugin, run from its source. */
import { join } from 'node:path';
import type { Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';

/** Runs a command of the plugin for a management cluster. @returns its output */
export function runPlugin(
  { kubeconfig }: Pick<Cluster, 'kubeconfig'>,
  args: readonly string[],
): Promise<string> {
  const script = join(checkout, 'scripts/cli.ts');
  const program = [process.execPath, '--disable-warning=ExperimentalWarning', script];
  return run([...program, ...args, '--kubeconfig', kubeconfig]);
}
