import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { CrdTarball } from '../../src/api/karmada.ts';
import { defaultSpec } from '../../src/api/defaults/defaults.ts';
import type { Karmada } from '../../src/api/karmada.ts';
import { Archives } from '../../src/crd-archives/archives.ts';
import type { ArchivesOptions } from '../../src/crd-archives/archives-options.ts';
import type { ArchiveSnapshot } from '../../src/crd-archives/outcome.ts';
import { NO_PROXIES } from '../../src/crd-archives/proxies.ts';
import { parseCidr, type AddressPolicy } from '../../src/kubernetes/connection/addresses.ts';
import { addressesOf, NameResolver } from '../../src/kubernetes/connection/name-resolver.ts';
import { ReceivedData } from '../../src/kubernetes/fairness/received-data.ts';
import { ThreadShares } from '../../src/kubernetes/fairness/thread-shares.ts';
import { memoryLog } from '../../src/kubernetes/time/clock.fixture.ts';
import { systemClock } from '../../src/kubernetes/time/clock.ts';
import { ServerClock } from '../../src/kubernetes/time/server-clock.ts';
import { createSecretPolicy } from '../../src/api/secrets/secret-policy.ts';
import { ApiError } from '../../src/kubernetes/client/errors.ts';

export const sha256 = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex');

/** CRD archives with temporary directories, called as by the reconciler. */
export interface Bench {
  readonly archives: Archives;
  readonly log: ReturnType<typeof memoryLog>;
  readonly writable: string;
  readonly ready: string;
  /** Requests the archive once, as a reconcile does. */
  look(tarball: CrdTarball | undefined, options?: Look): Promise<ArchiveSnapshot>;
  /** Requests the archive until it is available or has a problem. */
  settled(tarball: CrdTarball | undefined, options?: Look): Promise<ArchiveSnapshot>;
  /** Resolves when the next reconcile of the Karmada is requested. */
  changed(name?: string): Promise<void>;
  /** Preloads an archive for a URL. */
  layReady(url: string, bytes: Uint8Array): Promise<void>;
  /** All files and empty folders below the writable directory. */
  left(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

interface Look {
  /** spec.version; that of this operator if not set. */
  readonly version?: string;
  readonly name?: string;
  readonly generation?: number;
}

interface BenchOptions extends Partial<Omit<ArchivesOptions, 'addresses'>> {
  readonly addresses?: AddressPolicy;
}

export async function startBench({
  // The servers of these tests use the loopback interface.
  addresses = { allowed: ['127.0.0.0/8', '::1'].map(parseCidr) },
  ...options
}: BenchOptions = {}): Promise<Bench> {
  const root = await mkdtemp(join(tmpdir(), 'archives-'));
  const [ready, writable] = [join(root, 'ready'), join(root, 'writable')];
  await mkdir(writable);
  const log = memoryLog();
  const waiting: { readonly key: string; readonly done: () => void }[] = [];
  const onChange = (key: string): void => {
    for (const one of waiting.splice(0))
      if (one.key === key) one.done();
      else waiting.push(one);
  };
  const archives = new Archives({
    client: { get: () => Promise.reject(notFound()) },
    secretPolicy: createSecretPolicy('Granted', () => []),
    addresses: addressesOf(
      addresses,
      new NameResolver(),
      new ReceivedData(systemClock, new ThreadShares(systemClock)),
    ),
    // Same clock as in the operator.
    clock: new ServerClock(systemClock, () => undefined),
    random: () => 0.5,
    log,
    ready: [ready],
    writable,
    proxies: NO_PROXIES,
    userAgent: 'karmada-operator/test',
    archiveUrl: '',
    times: { answer: 1_000, stall: 1_000, total: 3_000 },
    ...options,
    onChange,
  });
  const look: Bench['look'] = (tarball, { name = 'demo', generation = 1, version } = {}) => {
    const karmada = {
      metadata: { name, namespace: 'team', uid: `uid-${name}`, generation },
    } as Karmada;
    const spec = { ...(tarball && { crdTarball: tarball }), ...(version && { version }) };
    return archives.of(karmada, defaultSpec(spec, { defaultStorageClass: false }));
  };
  const changed: Bench['changed'] = (name = 'demo') =>
    new Promise((done) => waiting.push({ key: `team/${name}`, done }));
  return {
    archives,
    log,
    writable,
    ready,
    look,
    changed,
    async settled(tarball, options) {
      for (;;) {
        const change = changed(options?.name);
        const snapshot = await look(tarball, options);
        if (!('pending' in snapshot)) return snapshot;
        await change;
      }
    },
    async layReady(url, bytes) {
      const file = join(ready, 'cache', sha256(url), 'crds.tar.gz');
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, bytes);
    },
    left: () => filesBelow(writable),
    async stop() {
      archives.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** Paths of all files and empty folders, except an empty `downloads`, derived from one listing. */
async function filesBelow(directory: string): Promise<readonly string[]> {
  const entries = await entriesBelow(directory);
  const parents = new Set(entries.map(({ parentPath }) => parentPath));
  return entries
    .filter((entry) => !entry.isDirectory() || entry.name !== 'downloads')
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !parents.has(path));
}

/** Repeats a listing that failed because a folder was removed meanwhile. */
export async function entriesBelow(directory: string, retries = 10): Promise<readonly Dirent[]> {
  try {
    return await readdir(directory, { recursive: true, withFileTypes: true });
  } catch (error) {
    const removed = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!removed || retries === 0) throw error;
    return entriesBelow(directory, retries - 1);
  }
}

function notFound(): ApiError {
  return new ApiError({ request: 'get', code: 404, reason: 'NotFound', message: 'not found' });
}

/** Problem message of a snapshot; empty if there is no problem. */
export const problemText = (snapshot: ArchiveSnapshot): string =>
  'problem' in snapshot ? (snapshot.problem?.message ?? '') : '';

export const crdNames = (snapshot: ArchiveSnapshot): readonly string[] =>
  'archive' in snapshot
    ? snapshot.archive.crds.map(({ definition }) => definition.metadata.name)
    : [];
