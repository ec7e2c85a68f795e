/** Builds all files of a release into one folder. */
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { requireLinuxOnX64 } from '../../tools/embedded-cluster/platform.ts';
import type { Progress } from '../../tools/embedded-cluster/progress.ts';
import { goVersion } from '../../tools/embedded-cluster/toolchain.ts';
import { licenseTexts, type BundledPackage } from '../image/bundle.ts';
import { writePlugin } from '../plugin/package.ts';
import {
  writeCharts,
  writeManifests,
  writePluginArchives,
  type ReleaseIdentity,
} from './artifacts.ts';
import type { DebianPart } from './debian.ts';
import { checksums, fileDigest } from './digests.ts';
import { writeKrewManifest } from './krew-manifest.ts';
import { nodeReleases, writeReleaseImage } from './image.ts';
import { lockedPackages } from './lock-file.ts';
import type { NodeRelease } from './node-binary.ts';
import {
  caPart,
  debianPart,
  distinctParts,
  karmadaParts,
  nodePart,
  npmParts,
  type Part,
} from './parts.ts';
import { provenance } from './provenance.ts';
import { sbom } from './sbom.ts';

/** Name of the file with the checksums of all others. */
export const CHECKSUMS = 'SHA256SUMS';

export interface ReleaseOrder extends ReleaseIdentity {
  readonly source: string | undefined;
  /** URL of the folder with the published files; undefined without a manifest for krew. */
  readonly downloads: string | undefined;
  readonly builder: string;
  /** Image with digest of the container of the build; undefined without a container. */
  readonly container: string | undefined;
}

/** Writes the plugin for all platforms. Its bytes do not depend on the machine. */
async function writePlugins(
  directory: string,
  order: ReleaseOrder,
  nodes: ReadonlyMap<string, NodeRelease>,
): Promise<readonly BundledPackage[]> {
  const work = await mkdtemp(join(tmpdir(), 'release-plugin-'));
  try {
    const binaries = [...nodes].map(
      ([architecture, { binary }]) =>
        [`linux-${architecture}`, { path: binary, codeCache: false }] as const,
    );
    const plugin = await writePlugin(checkout, work, Object.fromEntries(binaries));
    await writePluginArchives(plugin, directory, order);
    const { downloads, source } = order;
    if (downloads !== undefined) await writeKrewManifest(directory, order, { downloads, source });
    return plugin.packages;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function allParts(
  nodes: ReadonlyMap<string, NodeRelease>,
  packages: readonly BundledPackage[],
  libraries: readonly DebianPart[],
): Promise<Part[]> {
  return distinctParts([
    ...npmParts(packages, await lockedPackages(checkout)),
    ...[...nodes.values()].map(nodePart),
    ...[...nodes.values()].map(caPart),
    ...libraries.map(debianPart),
    ...(await karmadaParts()),
  ]);
}

/** Returns the SHA-256 of all files of a folder, by name. */
async function digestsOf(directory: string): Promise<Record<string, string>> {
  const names = (await readdir(directory)).sort();
  const digests: Record<string, string> = {};
  for (const name of names) digests[name] = await fileDigest(join(directory, name));
  return digests;
}

/** Writes SBOM, licenses, provenance and checksums. */
async function writeStatements(
  directory: string,
  order: ReleaseOrder,
  { parts, imageDigest }: { parts: readonly Part[]; imageDigest: string },
): Promise<void> {
  const write = (name: string, content: object | string): Promise<void> =>
    writeFile(
      join(directory, name),
      typeof content === 'string' ? content : `${JSON.stringify(content, undefined, 2)}\n`,
    );
  const { version, repository, time, commit } = order;
  const created = time.toISOString().replace(/\.\d+Z$/, 'Z');
  const subject = { name: 'karmada-operator-ts', version, license: 'Apache-2.0', created, commit };
  await write('sbom.spdx.json', sbom(subject, parts));
  await write('THIRD-PARTY-NOTICES.txt', licenseTexts(parts));
  await cp(join(checkout, 'LICENSE'), join(directory, 'LICENSE'));
  const image = { [`${repository}:${version}`]: imageDigest.replace('sha256:', '') };
  const lockDigest = await fileDigest(join(checkout, 'package-lock.json'));
  const build = { ...order, go: await goVersion() };
  const digests = { ...(await digestsOf(directory)), ...image };
  await write('provenance.intoto.json', provenance(build, digests, { parts, lockDigest }));
  await write(CHECKSUMS, checksums(await digestsOf(directory)));
}

/**
 * Builds a release.
 * @param directory new folder
 * @returns digest of the image for all platforms
 */
export async function buildRelease(
  directory: string,
  order: ReleaseOrder,
  progress: Progress,
): Promise<string> {
  requireLinuxOnX64('the build of a release');
  await mkdir(directory, { recursive: true });
  const nodes = await progress.step('Node.js', nodeReleases);
  const file = join(directory, `karmada-operator-ts-${order.version}.oci.tar`);
  const image = await writeReleaseImage(file, order, nodes, progress);
  const inPlugin = await progress.step('kubectl plugin', () =>
    writePlugins(directory, order, nodes),
  );
  await progress.step('charts, YAML, SBOM and provenance', async () => {
    await writeCharts(checkout, directory, order);
    await writeManifests(checkout, directory, order);
    const parts = await allParts(nodes, [...image.packages, ...inPlugin], image.libraries);
    await writeStatements(directory, order, { parts, imageDigest: image.digest });
  });
  return image.digest;
}
