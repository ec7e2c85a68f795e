/** CRD archives: where they lie, and a memory of what is in them. */
import { createReadStream } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { DefaultedSpec } from '../api/defaults.ts';
import { wantedVersions } from '../api/versions.ts';
import { ArchiveError, readArchive } from '../controlplane/archive.ts';
import { parseCrdArchive } from '../controlplane/crds.ts';
import { errorText } from '../kubernetes/errors.ts';
import type { ArchiveSnapshot } from './snapshot.ts';

/** Where a release's archive is published. */
export const releaseUrl = (version: string): string =>
  `https://github.com/karmada-io/karmada/releases/download/${version}/crds.tar.gz`;

/** Address of the archive an instance uses; undefined when its Karmada version cannot be told. */
export function archiveUrl(spec: DefaultedSpec): string | undefined {
  const url = spec.crdTarball?.httpSource?.url;
  if (url !== undefined && url !== '') return url.trim();
  const { karmada } = wantedVersions(spec);
  return karmada === undefined ? undefined : releaseUrl(karmada);
}

/** Place of an archive below a data directory, as upstream has it: by the hash of its address. */
export function archivePath(directory: string, url: string): string {
  const name = createHash('sha256').update(url).digest('hex');
  return join(directory, 'cache', name, 'crds.tar.gz');
}

/** Reads archives from data directories; what was read once is kept. */
export class Archives {
  readonly #directories: readonly string[];
  readonly #known = new Map<string, Promise<ArchiveSnapshot>>();

  /** @param directories absolute paths; the first one that has the archive is taken */
  constructor(directories: readonly string[]) {
    this.#directories = directories;
  }

  /** The archive of a spec, or why there is none. Never rejects. */
  async of(spec: DefaultedSpec): Promise<ArchiveSnapshot> {
    const url = archiveUrl(spec);
    if (url === undefined) return UNKNOWN_VERSION;
    const known = this.#known.get(url) ?? this.#read(url);
    this.#known.set(url, known);
    const archive = await known;
    // What failed may be there at the next look.
    if ('problem' in archive) this.#known.delete(url);
    return archive;
  }

  async #read(url: string): Promise<ArchiveSnapshot> {
    for (const directory of this.#directories) {
      try {
        const entries = await readArchive(createReadStream(archivePath(directory, url)));
        const archive = parseCrdArchive(entries);
        const [problem] = archive.problems;
        return problem === undefined ? { archive } : unusable(problem);
      } catch (error) {
        if (error instanceof ArchiveError) return unusable(error.message);
        if ((error as { code?: unknown }).code !== 'ENOENT') return unusable(errorText(error));
      }
    }
    return MISSING;
  }
}

const unusable = (text: string): ArchiveSnapshot => ({
  problem: {
    reason: 'CrdArchiveUnusable',
    message: `the archive of Karmada's CRDs cannot be used: ${text}`,
  },
});

const MISSING: ArchiveSnapshot = {
  problem: {
    reason: 'CrdArchiveMissing',
    message:
      "the archive of Karmada's CRDs is not in the operator's image nor in its cache: use a Karmada release that this operator comes with, or put the archive of spec.crdTarball into the operator's data directory",
  },
};

const UNKNOWN_VERSION: ArchiveSnapshot = {
  problem: {
    reason: 'CrdArchiveUnknown',
    message:
      'spec.components.karmadaControllerManager.imageTag does not say which Karmada release it is, so its CRDs are not known: set spec.crdTarball.httpSource.url',
  },
};
