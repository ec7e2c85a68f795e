import type { CommandResult } from '../../../tools/embedded-cluster/command.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';

const CLUSTERS = '/apis/cluster.karmada.io/v1alpha1/clusters';

/**
 * Waits until a control plane lists its clusters.
 * @param kubectl runs kubectl with its administrator kubeconfig
 * @throws Error after the deadline; 60 seconds by default
 */
export async function untilServed(
  kubectl: (args: readonly string[]) => Promise<CommandResult>,
  options?: { readonly deadlineMs: number },
): Promise<void> {
  await poll(
    'the control plane serves requests',
    async (seen) => {
      const { code, stderr } = await kubectl(['get', '--raw', CLUSTERS]);
      seen(stderr);
      return code === 0 ? true : undefined;
    },
    options,
  );
}
