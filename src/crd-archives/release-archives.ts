/** CRD archives of Karmada releases in the data directories of the operator. */
import { karmadaReleaseOf } from '../api/versions/versions.ts';
import { ArchiveError } from '../controlplane/archive.ts';
import { errorText } from '../kubernetes/client/errors.ts';
import type { ArchiveSnapshot } from './outcome.ts';
import { MISSING, missingRelease, otherPatch } from './release-problems.ts';
import { releaseSource, type ReleaseSource } from './source.ts';
import type { ArchiveStore } from './store.ts';

export class ReleaseArchives {
  readonly #store: Pick<ArchiveStore, 'ready'>;
  /** By URL. */
  readonly #known = new Map<string, Promise<ArchiveSnapshot>>();

  constructor(store: Pick<ArchiveStore, 'ready'>) {
    this.#store = store;
  }

  /** Returns the archive of a release, or that of another patch release of the same minor version. */
  async of(source: ReleaseSource): Promise<ArchiveSnapshot> {
    const own = await this.#release(source);
    if ('archive' in own || ('problem' in own && own.problem.reason !== MISSING)) return own;
    const near = karmadaReleaseOf(source.release);
    if (near !== undefined) {
      const other = await this.#release(releaseSource(near.release));
      if ('archive' in other) return { ...other, warning: otherPatch(source, near.release) };
    }
    return own;
  }

  /** Frees the archives, which can be read again from disk. */
  rest(): void {
    this.#known.clear();
  }

  async #release(source: ReleaseSource): Promise<ArchiveSnapshot> {
    const known = this.#known.get(source.url) ?? this.#read(source);
    this.#known.set(source.url, known);
    const archive = await known;
    // The next call reads the disk again after a failure.
    if ('problem' in archive) this.#known.delete(source.url);
    return archive;
  }

  async #read(source: ReleaseSource): Promise<ArchiveSnapshot> {
    try {
      const found = await this.#store.ready(source);
      return found === undefined ? missingRelease(source) : { archive: found.archive };
    } catch (error) {
      const text = error instanceof ArchiveError ? error.message : errorText(error);
      return {
        problem: {
          reason: 'CrdArchiveUnusable',
          message: `CRD archive of Karmada ${source.release} in the data directory of the operator: it cannot be used (${text}); reinstall the operator image, or set spec.crdTarball to another archive`,
        },
      };
    }
  }
}

/** Whether a release has no archive, so that the operator may download it. */
export const isMissing = (snapshot: ArchiveSnapshot): boolean =>
  'problem' in snapshot && snapshot.problem?.reason === MISSING && !('archive' in snapshot);
