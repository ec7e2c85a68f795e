import { existsSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { attempt, run } from '../../tools/embedded-cluster/command.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';

/**
 * Copies the checkout with its local changes and its installed packages into a new folder, so that a command can change
 * files.
 */
export async function copyCheckout(target: string): Promise<void> {
  await run(['git', 'clone', '--quiet', '--no-checkout', '--no-local', checkout, target]);
  const list = ['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = (await run(list, { cwd: checkout })).split('\0').filter(Boolean);
  for (const file of files.filter((path) => existsSync(join(checkout, path)))) {
    await mkdir(dirname(join(target, file)), { recursive: true });
    await cp(join(checkout, file), join(target, file), { verbatimSymlinks: true });
  }
  const modules = [join(checkout, 'node_modules'), join(target, 'node_modules')];
  const linked = await attempt(['cp', '-al', ...modules]);
  if (linked.code === 0) return;
  await rm(join(target, 'node_modules'), { recursive: true, force: true });
  await run(['cp', '-a', ...modules]);
}
