/**
 * A release that is built twice, in checkouts at different paths. Needs the package sources of npm and Debian.
 *
 * @size medium
 * @tier all
 */
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { arm64Emulator } from '../../../scripts/release/debian.ts';
import { ensureBinaries } from '../../../tools/embedded-cluster/binaries.ts';
import { run } from '../../../tools/embedded-cluster/command.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import { copyCheckout } from '../../harness/checkout-copy.ts';

jest.setTimeout(1_200_000);

const repository = 'registry.example.com/team/karmada-operator-ts';
const source = 'https://example.com/team/karmada-operator-ts';

let directory: string;
/** Folders of the two releases. */
let releases: readonly string[];
/** Output of the first build. */
let output: string;
let version: string;

async function build(root: string, target: string): Promise<string> {
  const temporary = join(root, '..', 'temporary');
  await mkdir(temporary, { recursive: true });
  const addresses = ['--repository', repository, '--source', source];
  const options = ['--dry-run', '--directory', target, ...addresses];
  const command = [process.execPath, 'scripts/run.mjs', 'scripts/release.ts', ...options];
  return run(command, { cwd: root, env: { TMPDIR: temporary, NODE_OPTIONS: '' } });
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'release-'));
  releases = ['one', 'two'].map((name) => join(directory, 'releases', name));
  await mkdir(join(directory, 'releases'));
  const roots = ['a', 'second/and/deeper'].map((path) => join(directory, path));
  const [first = '', second = ''] = releases;
  // Both copies have the same files, also when somebody edits the checkout during the builds.
  for (const root of roots) await copyCheckout(root);
  output = await build(roots[0] ?? '', first);
  await build(roots[1] ?? '', second);
  const manifest = await readFile(join(checkout, 'package.json'), 'utf8');
  ({ version } = JSON.parse(manifest) as { version: string });
});

afterAll(() => rm(directory, { recursive: true, force: true }));

const file = (name: string): string => join(releases[0] ?? '', name);

/** Unpacks an archive of the first release, and returns its folder. */
async function unpacked(archive: string, name: string): Promise<string> {
  const folder = join(directory, 'unpacked', name);
  await mkdir(folder, { recursive: true });
  await run(['tar', '-xf', archive, '-C', folder]);
  return folder;
}

interface Descriptor {
  readonly digest: string;
  readonly platform?: { readonly architecture: string };
}

const blob = (layout: string, { digest }: Descriptor): string =>
  join(layout, 'blobs', digest.replace(':', '/'));

const read = async <T>(path: string): Promise<T> => JSON.parse(await readFile(path, 'utf8')) as T;

/** Unpacks the image of one platform and returns its root. */
async function imageRoot(architecture: string): Promise<string> {
  const layout = await unpacked(file(`karmada-operator-ts-${version}.oci.tar`), 'layout');
  const top = await read<{ manifests: Descriptor[] }>(join(layout, 'index.json'));
  const [index = { digest: '' }] = top.manifests;
  const { manifests } = await read<{ manifests: Descriptor[] }>(blob(layout, index));
  expect(manifests.map(({ platform }) => platform?.architecture)).toEqual(['amd64', 'arm64']);
  const own = manifests.find(({ platform }) => platform?.architecture === architecture);
  const { layers } = await read<{ layers: Descriptor[] }>(blob(layout, own ?? { digest: '' }));
  for (const layer of layers) await unpacked(blob(layout, layer), architecture);
  return join(directory, 'unpacked', architecture);
}

it('has the same bytes when it is built in another folder', async () => {
  const sums = await Promise.all(
    releases.map((release) => readFile(join(release, 'SHA256SUMS'), 'utf8')),
  );
  expect(sums[0]).toBe(sums[1]);
  const listed = (sums[0] ?? '').match(/\S+$/gm)?.sort();
  const present = (await readdir(releases[0] ?? '')).filter((name) => name !== 'SHA256SUMS');
  expect(present.sort()).toEqual(listed);
  await run(['sha256sum', '--check', '--quiet', 'SHA256SUMS'], { cwd: releases[0] });
});

it('contains an image whose programs start, or says why that was not tested', async () => {
  expect(output).toMatch(/^smoke run linux\/amd64 +done/m);
  expect(output).toMatch(/^smoke run linux\/arm64 (?: +done|skipped: no emulator)/m);
  const root = await imageRoot('amd64');
  const map = await read<{ sources: string[] }>(
    join(root, 'opt/karmada-operator/operator.mjs.map'),
  );
  expect(map.sources.filter((path) => !/^\.\.\/\.\.\/(src|node_modules)\//.test(path))).toEqual([]);
  const notices = await readdir(join(root, 'usr/share/doc'));
  expect(notices).toEqual(expect.arrayContaining(['libatomic1', 'libc6', 'libstdc++6', 'node']));
});

it('contains a chart and YAML with the image of the given repository', async () => {
  const { helm } = await ensureBinaries(['helm']);
  const chart = file(`karmada-operator-${version}.tgz`);
  const rendered = await run([helm, 'template', 'test', chart, '--kube-version=1.30.0']);
  const yaml = await readFile(file('install.yaml'), 'utf8');
  for (const text of [rendered, yaml]) {
    expect(text).toContain(`${repository}:${version}`);
    expect(text).not.toContain('localhost/');
  }
});

it('contains the plugin for each platform', async () => {
  const name = (form: string): string => `kubectl-karmada_operator-${version}-${form}.tar.gz`;
  const own = await unpacked(file(name('linux-amd64')), 'plugin-amd64');
  const ask = (command: readonly string[]): Promise<string> =>
    run([...command, 'version', '--client']);
  expect(await ask([join(own, 'kubectl-karmada_operator')])).toContain(version);
  const npm = await unpacked(file(`kubectl-karmada-operator-${version}.tgz`), 'plugin-npm');
  const script = join(npm, 'package/kubectl-karmada_operator');
  expect(await ask([process.execPath, script])).toContain(version);
});

it('contains a manifest with which krew installs the plugin', async () => {
  const { krew, 'krew-validator': validator } = await ensureBinaries(['krew', 'krew-validator']);
  const manifest = file('karmada-operator.yaml');
  await run([validator, '-manifest', manifest, '-skip-install']);
  const archive = `kubectl-karmada_operator-${version}-linux-amd64.tar.gz`;
  expect(await readFile(manifest, 'utf8')).toContain(
    `uri: ${source}/releases/download/v${version}/${archive}\n`,
  );
  const root = join(directory, 'krew');
  const env = { KREW_ROOT: root, KREW_OS: 'linux', KREW_ARCH: 'amd64', KREW_NO_UPGRADE_CHECK: '1' };
  await run([krew, 'install', '--manifest', manifest, '--archive', file(archive)], { env });
  const installed = join(root, 'bin/kubectl-karmada_operator');
  expect(await run([installed, 'version', '--client'])).toContain(version);
});

it('contains a plugin for arm64 that starts in an emulator', async () => {
  const emulator = await arm64Emulator().catch((error: unknown) => {
    process.stderr.write(`plugin for arm64 not started: no emulator (${String(error)})\n`);
  });
  if (emulator === undefined) return;
  const archive = file(`kubectl-karmada_operator-${version}-linux-arm64.tar.gz`);
  const plugin = join(await unpacked(archive, 'plugin-arm64'), 'kubectl-karmada_operator');
  const root = await imageRoot('arm64');
  expect(await run([emulator, '-L', root, plugin, 'version', '--client'])).toContain(version);
});
