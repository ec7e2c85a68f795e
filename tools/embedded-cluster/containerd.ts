import { inNode, type Node } from './node.ts';

/** Namespaces of containerd: that of the kubelet, and one for images that no Pod uses. */
type Namespace = 'k8s.io' | 'release';

/**
 * Returns the command line of `ctr`, the client of containerd, on a node.
 * @param path PATH of the node programs
 */
export const ctr = (
  {
    node,
    path,
    namespace = 'k8s.io',
  }: { readonly node: Node; readonly path: string; readonly namespace?: Namespace },
  args: readonly string[],
): string[] =>
  inNode(node, [
    'env',
    `PATH=${path}`,
    'ctr',
    '--address=/run/containerd/containerd.sock',
    `--namespace=${namespace}`,
    ...args,
  ]);
