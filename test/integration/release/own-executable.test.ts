/** The script with which the release workflow builds the plugin for macOS and Windows, here on Linux. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { attempt, run, type CommandResult } from '../../../tools/embedded-cluster/command.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'own-executable-'));
});

afterAll(() => rm(directory, { recursive: true, force: true }));

/** Writes a package of npm whose program prints a version. */
async function packageOf(name: string, reported: string): Promise<string> {
  const folder = join(directory, name);
  await mkdir(folder);
  const program = `#!/usr/bin/env node\nconsole.log('Plugin: ${reported}', ...process.argv.slice(4));\n`;
  await writeFile(join(folder, 'package.json'), JSON.stringify({ version: '1.2.3' }));
  await writeFile(join(folder, 'kubectl-karmada_operator'), program);
  for (const other of ['LICENSE', 'THIRD-PARTY-LICENCES.txt', 'kubectl_complete-karmada_operator'])
    await writeFile(join(folder, other), other);
  return folder;
}

const build = (folder: string, target: string): Promise<CommandResult> =>
  attempt([process.execPath, 'scripts/own-executable.ts', folder, target], { cwd: checkout });

it('builds an executable that needs no Node.js, with the files next to it', async () => {
  const target = join(directory, 'target');
  const built = await build(await packageOf('good', '1.2.3'), target);
  expect(built).toEqual({ code: 0, stdout: 'linux-amd64\n', stderr: '' });
  expect((await readdir(target)).sort()).toEqual([
    'LICENSE',
    'THIRD-PARTY-LICENCES.txt',
    'kubectl-karmada_operator',
    'kubectl_complete-karmada_operator',
  ]);
  const program = [join(target, 'kubectl-karmada_operator'), 'version', '--client', 'more'];
  expect(await run(program, { env: { PATH: '' } })).toBe('Plugin: 1.2.3 more\n');
});

it('fails if the executable reports another version than its package', async () => {
  const { code, stderr } = await build(await packageOf('bad', '9.9.9'), join(directory, 'other'));
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'error: the executable reports "Plugin: 9.9.9\\n" instead of 1.2.3\n',
  });
});
