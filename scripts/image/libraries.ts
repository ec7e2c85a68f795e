import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../tools/embedded-cluster/command.ts';
import type { LayerEntry } from './archive.ts';

/**
 * Returns the shared libraries of the machine that a program is linked with, at the paths where the program loads
 * them, and the libraries that the C library uses for name resolution.
 */
export async function libraries(binary: string): Promise<LayerEntry[]> {
  const listed = await run(['ldd', binary]);
  const paths = listed.split('\n').flatMap((line) => /(\/\S+\.so\S*)/.exec(line)?.[1] ?? []);
  const resolver = ['libnss_dns.so.2', 'libnss_files.so.2', 'libresolv.so.2']
    .map((name) => join('/lib/x86_64-linux-gnu', name))
    .filter((path) => existsSync(path));
  return [...new Set([...paths, ...resolver])].sort().map((path) => ({
    path: path.replace(/^\//, ''),
    file: path,
    mode: 0o755,
  }));
}
