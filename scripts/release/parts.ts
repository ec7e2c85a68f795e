/** The parts of a release that other projects made, with versions, digests and licenses. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RELEASES } from '../../src/api/releases/releases.ts';
import type { BundledPackage } from '../image/bundle.ts';
import { crdArchive, karmadaModule } from '../image/karmada-module.ts';
import type { DebianPart } from './debian.ts';
import { fileDigest } from './digests.ts';
import { sha512Of, type LockedPackage } from './lock-file.ts';
import type { NodeRelease } from './node-binary.ts';

export interface Part {
  readonly name: string;
  readonly version: string;
  /** Package URL, which identifies the part in all databases of vulnerabilities. */
  readonly purl: string;
  /** SPDX expression; undefined if only the text says it. */
  readonly license: string | undefined;
  readonly text: string;
  readonly checksum?: { readonly algorithm: 'SHA256' | 'SHA512'; readonly value: string };
}

/** Returns the packages of npm with their digests in package-lock.json. */
export function npmParts(
  packages: readonly BundledPackage[],
  locked: Readonly<Record<string, LockedPackage>>,
): Part[] {
  return packages.map(({ name, version, license, text }) => {
    const [, entry] =
      Object.entries(locked).find(
        ([path, one]) => path.endsWith(`node_modules/${name}`) && one.version === version,
      ) ?? [];
    if (entry === undefined) throw new Error(`package-lock.json: no ${name} ${version}`);
    return {
      name,
      version,
      license,
      text,
      purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
      checksum: { algorithm: 'SHA512', value: sha512Of(entry.integrity) },
    };
  });
}

export function nodePart({ packageName, version, sha512, license }: NodeRelease): Part {
  return {
    name: packageName,
    version,
    license: undefined,
    text: license,
    purl: `pkg:npm/${packageName}@${version}`,
    checksum: { algorithm: 'SHA512', value: sha512 },
  };
}

/** Returns the CA certificates of Mozilla, which the image takes from Node.js. */
export function caPart({ version }: NodeRelease): Part {
  return {
    name: 'CA certificates of Mozilla',
    version: `Node.js ${version}`,
    license: 'MPL-2.0',
    text: 'The text of the license is at https://www.mozilla.org/MPL/2.0/.',
    purl: `pkg:generic/mozilla-ca-certificates@node-${version}`,
  };
}

export function debianPart({ name, version, architecture, sha256, text }: DebianPart): Part {
  return {
    name: `${name}:${architecture}`,
    version,
    license: undefined,
    text,
    purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`,
    checksum: { algorithm: 'SHA256', value: sha256 },
  };
}

/** Returns the CRD archives of the Karmada releases. */
export function karmadaParts(): Promise<Part[]> {
  const module = 'github.com/karmada-io/karmada';
  return Promise.all(
    RELEASES.map(async ({ release }) => ({
      name: `${module} (CRDs)`,
      version: release,
      license: 'Apache-2.0',
      text: await readFile(join(await karmadaModule(release), 'LICENSE'), 'utf8'),
      purl: `pkg:golang/${module}@${release}`,
      checksum: {
        algorithm: 'SHA256' as const,
        value: await fileDigest(await crdArchive(release)),
      },
    })),
  );
}

/** Returns each part once, sorted by its package URL. */
export function distinctParts(parts: readonly Part[]): Part[] {
  const byPurl = new Map(parts.map((part) => [part.purl, part]));
  return [...byPurl.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1));
}
