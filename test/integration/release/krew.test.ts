/** krew installs the plugin from the manifest of a release. krew and its validator are built from their Go module. */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pluginArchive, writePluginArchives } from '../../../scripts/release/artifacts.ts';
import { KREW_MANIFEST, writeKrewManifest } from '../../../scripts/release/krew-manifest.ts';
import { ensureBinaries } from '../../../tools/embedded-cluster/binaries.ts';
import { attempt, run, type CommandResult } from '../../../tools/embedded-cluster/command.ts';

const VERSION = '1.2.3-rc.1';
const PUBLISHED = {
  downloads: 'https://example.com/files',
  source: 'https://example.com/project',
};

let directory: string;
let programs: Record<'krew' | 'krew-validator', string>;

/** Writes a folder of the plugin, as the build does. The program is a script that prints the name of the platform. */
async function pluginFolder(platform: string): Promise<string> {
  const folder = join(directory, platform);
  await mkdir(folder);
  const program = join(folder, 'kubectl-karmada_operator');
  await writeFile(program, `#!/bin/sh\necho ${platform}\n`);
  await chmod(program, 0o755);
  await writeFile(join(folder, 'LICENSE'), 'license\n');
  return folder;
}

beforeAll(async () => {
  programs = await ensureBinaries(['krew', 'krew-validator']);
  directory = await mkdtemp(join(tmpdir(), 'krew-'));
  const folders = await Promise.all(['linux-amd64', 'linux-arm64'].map(pluginFolder));
  await writePluginArchives({ folders }, directory, { version: VERSION, time: new Date(0) });
  await writeKrewManifest(directory, { version: VERSION }, PUBLISHED);
});

afterAll(() => rm(directory, { recursive: true, force: true }));

/** @param manifest file whose name is that of the plugin */
const validate = (manifest: string): Promise<CommandResult> =>
  attempt([programs['krew-validator'], '-manifest', manifest, '-skip-install']);

/** Installs the plugin on a computer with this architecture, from an archive of the release. */
async function install(arch: string, archive: string): Promise<CommandResult & { root: string }> {
  const root = await mkdtemp(join(directory, 'root-'));
  const files = ['--manifest', join(directory, KREW_MANIFEST), '--archive', archive];
  const env = { KREW_ROOT: root, KREW_OS: 'linux', KREW_ARCH: arch, KREW_NO_UPGRADE_CHECK: '1' };
  return { ...(await attempt([programs.krew, 'install', ...files], { env })), root };
}

describe('krew', () => {
  it('accepts the manifest, and rejects one with a digest that is none', async () => {
    const manifest = join(directory, KREW_MANIFEST);
    expect(await validate(manifest)).toMatchObject({ code: 0 });
    const text = await readFile(manifest, 'utf8');
    const wrong = join(await mkdtemp(join(directory, 'wrong-')), KREW_MANIFEST);
    await writeFile(wrong, text.replace(/sha256: \w+/, 'sha256: none'));
    const rejected = await validate(wrong);
    expect(rejected.code).not.toBe(0);
    expect(rejected.stderr).toContain('sha256');
  });

  it.each(['amd64', 'arm64'])('installs the archive for %s, with its license', async (arch) => {
    const archive = join(directory, pluginArchive(VERSION, `linux-${arch}`));
    const { root, ...result } = await install(arch, archive);
    expect(result).toMatchObject({ code: 0 });
    expect(result.stderr).toContain('libatomic');
    const program = join(root, 'bin/kubectl-karmada_operator');
    expect(await run([program])).toBe(`linux-${arch}\n`);
    const license = join(root, 'store/karmada-operator', `v${VERSION}`, 'LICENSE');
    expect(await readFile(license, 'utf8')).toBe('license\n');
  });

  it('installs no archive with another digest', async () => {
    const other = join(directory, pluginArchive(VERSION, 'linux-arm64'));
    const { code, stderr } = await install('amd64', other);
    expect(code).not.toBe(0);
    expect(stderr).toContain('checksum');
  });
});
