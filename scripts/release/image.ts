/** The operator image of a release, for all platforms. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import type { Progress } from '../../tools/embedded-cluster/progress.ts';
import { bundleOperator, type BundledPackage } from '../image/bundle.ts';
import {
  containerSettings,
  imageLabels,
  programEntries,
  runtimeEntries,
} from '../image/operator.ts';
import type { ReleaseIdentity } from './artifacts.ts';
import { debianLibraries, type DebianPart } from './debian.ts';
import { nodeRelease, type NodeRelease } from './node-binary.ts';
import { layerFile, withLayerFolder, writeLayer, writeOciArchive, type Layer } from './oci.ts';
import { PLATFORMS, type Platform } from './platforms.ts';
import { smokeRun } from './smoke.ts';

/** Node.js and libraries of one platform, with their layer. */
interface RuntimeLayer {
  readonly platform: Platform;
  readonly layer: Layer;
  readonly libraries: readonly DebianPart[];
}

export interface ReleaseImage {
  /** Digest of the image for all platforms, as `sha256:<hex>`. */
  readonly digest: string;
  /** Packages of npm in the operator. */
  readonly packages: readonly BundledPackage[];
  readonly libraries: readonly DebianPart[];
}

async function runtimeLayer(
  folder: string,
  platform: Platform,
  { binary: node, license }: NodeRelease,
): Promise<RuntimeLayer> {
  const { packages, entries } = await debianLibraries(platform);
  const own = { path: 'usr/share/doc/node/LICENSE', content: license };
  const all = [...runtimeEntries({ node, libraries: entries }), own];
  const layer = await writeLayer(layerFile(folder, platform.architecture), all);
  return { platform, layer, libraries: packages };
}

/** Writes the layer that all platforms share: the operator and the CRD archives. */
async function programLayer(
  folder: string,
  version: string,
): Promise<{ layer: Layer; packages: readonly BundledPackage[] }> {
  const bundle = await mkdtemp(join(tmpdir(), 'karmada-operator-bundle-'));
  try {
    const packages = await bundleOperator(checkout, bundle, version);
    const layer = await writeLayer(layerFile(folder, 'program'), await programEntries(bundle));
    return { layer, packages };
  } finally {
    await rm(bundle, { recursive: true, force: true });
  }
}

/** Returns Node.js for all platforms, by architecture. */
export async function nodeReleases(): Promise<ReadonlyMap<string, NodeRelease>> {
  const found = PLATFORMS.map(
    async (platform) => [platform.architecture, await nodeRelease(checkout, platform)] as const,
  );
  return new Map(await Promise.all(found));
}

/**
 * Writes the image as an archive in the OCI image layout, and runs the operator of each platform once.
 * @param file path of the archive
 * @param identity version, repository, and time and digest of the commit
 */
export async function writeReleaseImage(
  file: string,
  identity: ReleaseIdentity,
  nodes: ReadonlyMap<string, NodeRelease>,
  progress: Progress,
): Promise<ReleaseImage> {
  return withLayerFolder(file, async (folder) => {
    const { layer, packages } = await progress.step('operator', () =>
      programLayer(folder, identity.version),
    );
    const runtimes = await Promise.all(
      PLATFORMS.flatMap((platform) => {
        const node = nodes.get(platform.architecture);
        const name = `Node.js and libraries for linux/${platform.architecture}`;
        const write = (one: NodeRelease): Promise<RuntimeLayer> =>
          progress.step(name, () => runtimeLayer(folder, platform, one));
        return node === undefined ? [] : [write(node)];
      }),
    );
    for (const runtime of runtimes)
      await smokeRun(runtime.platform, [runtime.layer, layer], identity.version, progress);
    const images = runtimes.map((runtime) => ({
      config: imageConfig(identity, runtime.platform),
      layers: [runtime.layer, layer],
    }));
    const reference = `${identity.repository}:${identity.version}`;
    const digest = await progress.step('image archive', () =>
      writeOciArchive(file, images, reference),
    );
    return { digest, packages, libraries: runtimes.flatMap(({ libraries }) => libraries) };
  });
}

const imageConfig = (
  { version, repository, time, commit }: ReleaseIdentity,
  { architecture }: Platform,
) => ({
  tags: [`${repository}:${version}`],
  architecture,
  created: time.toISOString(),
  ...containerSettings,
  labels: { ...imageLabels(version), 'org.opencontainers.image.revision': commit },
});
