/** Stores archives on disk: archives preloaded by the administrator, and downloads of the operator. */
import { errorCode, fieldsOf } from '../kubernetes/objects/records.ts';
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ArchiveError } from '../controlplane/archive.ts';
import { SourceError, type VerifiedArchive } from './outcome.ts';
import { identityOf, readyPath, type DownloadSource, type ReleaseSource } from './source.ts';
import type { Slots } from '../kubernetes/fairness/slots.ts';
import { checkDigest, verifyArchive, type Expectation } from './verify.ts';

export interface StoreOptions {
  /** Absolute paths of directories with preloaded archives. The operator never writes to them. */
  readonly ready: readonly string[];
  /** Absolute path of the directory for downloads. */
  readonly writable: string;
  /** Runs one verification of a download after the other, because each needs much memory for a moment. */
  readonly verifications: Slots;
}

const MIB = 2 ** 20;

/** Limits of stored downloads. The operator deletes the oldest first. Each has 4 MiB at most. */
const KEPT = { count: 50, bytes: 128 * MIB } as const;

/** Bytes of all incomplete downloads. The volume has space for both: a Pod that exceeds it is evicted. */
const MAX_PARTIAL = 384 * MIB;

const FILE = 'crds.tar.gz';
const NO_FILE = { mtimeMs: 0, size: 0 } as const;

/**
 * Archive store on disk. A download becomes visible only after it is complete, verified and synced to
 * disk. Every read verifies the archive again.
 */
export class ArchiveStore {
  readonly #options: StoreOptions;
  #swept: Promise<void> | undefined;
  #partialBytes = 0;

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  /**
   * Reads the preloaded archive of a URL.
   * @returns undefined if there is none
   * @throws ArchiveError when it exists but is invalid
   */
  async ready(source: ReleaseSource | DownloadSource): Promise<VerifiedArchive | undefined> {
    for (const directory of this.#options.ready) {
      const found = await readVerified(readyPath(directory, source.url), source);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Reads an earlier download of this source. Deletes a file that fails verification. */
  async downloaded(source: DownloadSource): Promise<VerifiedArchive | undefined> {
    await this.#sweep();
    const file = this.#file(source);
    try {
      return await this.#options.verifications.run('', () => readVerified(file, source));
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw this.#fault(error);
      await rm(dirname(file), { recursive: true, force: true });
      return undefined;
    }
  }

  /**
   * Verifies and stores a download. Deletes a download that fails verification.
   * @throws ArchiveError when the archive is rejected, SourceError when the write fails; rethrows download errors
   */
  async keep(source: DownloadSource, bytes: AsyncIterable<Uint8Array>): Promise<VerifiedArchive> {
    await this.#sweep();
    const file = this.#file(source);
    const partial = `${file}.${randomUUID()}.partial`;
    try {
      await this.#write(partial, bytes, source.sha256);
      const verified = await this.#options.verifications.run('', () =>
        verifyArchive(createReadStream(partial), expectation(source)),
      );
      await rename(partial, file);
      await syncDirectory(dirname(file));
      await this.#prune(dirname(file));
      return verified;
    } catch (error) {
      await rm(partial, { force: true });
      // Removes only an empty folder, because it may contain an earlier download.
      await rmdir(dirname(file)).catch(() => undefined);
      throw isSystemError(error) ? this.#fault(error) : error;
    }
  }

  async #write(
    file: string,
    bytes: AsyncIterable<Uint8Array>,
    wanted: string | undefined,
  ): Promise<void> {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const hash = createHash('sha256');
    const handle = await open(file, 'wx', 0o640);
    let written = 0;
    try {
      for await (const chunk of bytes) {
        hash.update(chunk);
        written += chunk.byteLength;
        this.#partialBytes += chunk.byteLength;
        if (this.#partialBytes > MAX_PARTIAL) throw this.#fault({ code: 'ENOSPC' });
        await handle.writeFile(chunk);
      }
      // Checked before the archive is unpacked: other bytes than expected are never parsed.
      checkDigest(hash.digest('hex'), wanted);
      await handle.sync();
    } finally {
      this.#partialBytes -= written;
      await handle.close();
    }
  }

  get #root(): string {
    return join(this.#options.writable, 'downloads');
  }

  #file(source: DownloadSource): string {
    return join(this.#root, identityOf(source), FILE);
  }

  /** Deletes partial downloads of an earlier process. */
  #sweep(): Promise<void> {
    this.#swept ??= this.#folders().then(async (folders) => {
      for (const folder of folders) {
        const names = await readdir(folder).catch((): string[] => []);
        const left = names.filter((name) => name.endsWith('.partial'));
        await Promise.all(left.map((name) => rm(join(folder, name), { force: true })));
        if (left.length === names.length) await rmdir(folder).catch(() => undefined);
      }
    });
    return this.#swept;
  }

  async #prune(newest: string): Promise<void> {
    const folders = await this.#folders();
    const stored = await Promise.all(
      folders.map(async (folder) => {
        const { mtimeMs: at, size } = await stat(join(folder, FILE)).catch(() => NO_FILE);
        return { folder, at: folder === newest ? Infinity : at, size };
      }),
    );
    let [count, bytes] = [0, 0];
    for (const { folder, size } of stored.filter(({ at }) => at > 0).sort((a, b) => b.at - a.at)) {
      count += 1;
      bytes += size;
      if (count > KEPT.count || bytes > KEPT.bytes)
        await rm(folder, { recursive: true, force: true });
    }
  }

  async #folders(): Promise<readonly string[]> {
    const names = await readdir(this.#root).catch((): string[] => []);
    return names.map((name) => join(this.#root, name));
  }

  #fault(error: unknown): SourceError {
    const code = String(errorCode(error) ?? 'unknown');
    const { writable } = this.#options;
    return new SourceError(
      'CrdArchiveStoreFailed',
      `directory ${writable}: the operator cannot store CRD archives there (${code}); mount a writable volume with free space`,
    );
  }
}

function expectation({ release, ...source }: ReleaseSource | DownloadSource): Expectation {
  const sha256 = 'sha256' in source ? source.sha256 : undefined;
  return { release, ...(sha256 !== undefined && { sha256 }) };
}

async function readVerified(
  file: string,
  source: ReleaseSource | DownloadSource,
): Promise<VerifiedArchive | undefined> {
  try {
    return await verifyArchive(createReadStream(file), expectation(source));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function isSystemError(error: unknown): boolean {
  return !(error instanceof SourceError) && typeof fieldsOf(error)['syscall'] === 'string';
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
