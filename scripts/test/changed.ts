import { attempt } from '../../test/embedded-cluster/command.ts';

/**
 * Returns the files that differ from the parent of the current commit, relative to the checkout. Empty if the parent is
 * unknown, as in a shallow clone.
 */
export async function changedFiles(root: string): Promise<ReadonlySet<string>> {
  const names = ['git', 'diff', '--name-only', '--relative', 'HEAD^'];
  const { code, stdout } = await attempt(names, { cwd: root });
  return new Set(code === 0 ? stdout.split('\n').filter(Boolean) : []);
}
