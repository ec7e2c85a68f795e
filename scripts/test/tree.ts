/** Identifies the content of a checkout, so that results of tests are only used for the files that were tested. */
import { lstat, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../tools/embedded-cluster/command.ts';
import { digest } from '../../tools/embedded-cluster/paths.ts';
import { withoutVersion } from '../release/version.ts';

async function entry(root: string, path: string): Promise<string[]> {
  const found = await lstat(join(root, path)).catch(() => undefined);
  if (found === undefined) return [];
  if (found.isSymbolicLink()) return [path, 'link', await readlink(join(root, path))];
  const content = await readFile(join(root, path));
  const mode = (found.mode & 0o100) === 0 ? 'file' : 'program';
  return [path, mode, digest(withoutVersion(path, content.toString('latin1')))];
}

/**
 * Returns the digest of all tracked and new files of a checkout, without the version of the project and the changelog:
 * a release changes only these after its tests.
 */
export async function treeDigest(root: string): Promise<string> {
  const list = ['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const paths = [...new Set((await run(list, { cwd: root })).split('\0'))].filter(Boolean).sort();
  const entries = await Promise.all(paths.map((path) => entry(root, path)));
  return digest(...entries.flat());
}
