/** Files with the addresses of the publisher. */
import { existsSync, globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Reads the files in which the publisher writes addresses: path to content. A missing file is left out. */
export async function publisherFiles(root: string): Promise<Record<string, string>> {
  const paths = ['SECURITY.md', ...globSync('charts/*/Chart.yaml', { cwd: root }).sort()];
  const present = paths.filter((path) => existsSync(join(root, path)));
  const texts = present.map(
    async (path) => [path, await readFile(join(root, path), 'utf8')] as const,
  );
  return Object.fromEntries(await Promise.all(texts));
}
