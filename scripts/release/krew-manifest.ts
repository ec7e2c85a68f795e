/** Manifest of the kubectl plugin for krew, the plugin manager of kubectl. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import { PROGRAM_SUMMARY } from '../../src/cli/program/command-texts.ts';
import { PLUGIN_FILE } from '../plugin/bundle.ts';
import { pluginArchive, type ReleaseIdentity } from './artifacts.ts';
import { fileDigest } from './digests.ts';
import { PLATFORMS } from './platforms.ts';
import { tagOf } from './refusals.ts';

/** Name of the plugin in krew, as after `kubectl`. */
const PLUGIN_NAME = 'karmada-operator';

/** Name of the manifest. An index of krew requires the name of the plugin. */
export const KREW_MANIFEST = `${PLUGIN_NAME}.yaml`;

/** Where users find the files of a release. */
interface PublishedFiles {
  /** URL of the folder with the files, without a slash at its end. */
  readonly downloads: string;
  /** URL of the project; undefined if the caller does not name it. */
  readonly source: string | undefined;
}

const DESCRIPTION = `Shows the state of Karmada control planes with the cause and the remedy, previews changes and
upgrades, checks host clusters before an installation, and gives access to a control plane.
It needs the Karmada operator of the same project in the cluster.
`;

const CAVEATS = `The program needs glibc 2.28 or newer and libatomic (package libatomic1 of Debian and Ubuntu,
libatomic of Fedora).
`;

const HTTPS = /^https:\/\/[^\s"'<>?#]*[^\s"'<>?#/]$/;

/**
 * Returns the URL of the folder with the published files.
 * @param url value of the option; by default that of the GitHub release of the source
 * @returns undefined if neither is a URL of https
 * @throws Error for a value of the option that is no such URL
 */
export function downloadsOf(
  url: string | undefined,
  { source, version }: { readonly source: string | undefined; readonly version: string },
): string | undefined {
  if (url !== undefined && !HTTPS.test(url))
    throw new Error(`--download-url ${url}: invalid; write a URL such as https://example.com/v1`);
  if (url !== undefined) return url;
  if (source === undefined || !HTTPS.test(source)) return undefined;
  return `${source}/releases/download/${tagOf(version)}`;
}

/**
 * Returns the manifest.
 * @param digests SHA-256 of each archive, by architecture
 */
export function krewManifest(
  version: string,
  digests: Readonly<Record<string, string>>,
  { downloads, source }: PublishedFiles,
): string {
  const platforms = Object.entries(digests).map(([arch, sha256]) => ({
    selector: { matchLabels: { os: 'linux', arch } },
    uri: `${downloads}/${pluginArchive(version, `linux-${arch}`)}`,
    sha256,
    bin: PLUGIN_FILE,
  }));
  const manifest = {
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: PLUGIN_NAME },
    spec: {
      version: `v${version}`,
      ...(source !== undefined && { homepage: source }),
      shortDescription: PROGRAM_SUMMARY,
      description: DESCRIPTION,
      caveats: CAVEATS,
      platforms,
    },
  };
  return dump(manifest, { lineWidth: -1 });
}

/** Writes the manifest next to the archives of the plugin, which must exist. */
export async function writeKrewManifest(
  directory: string,
  { version }: Pick<ReleaseIdentity, 'version'>,
  published: PublishedFiles,
): Promise<void> {
  const digests = PLATFORMS.map(async ({ architecture }) => {
    const file = join(directory, pluginArchive(version, `linux-${architecture}`));
    return [architecture, await fileDigest(file)] as const;
  });
  const text = krewManifest(version, Object.fromEntries(await Promise.all(digests)), published);
  await writeFile(join(directory, KREW_MANIFEST), text);
}
