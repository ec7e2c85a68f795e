/**
 * The programs that the containers of a backup run, in this order: take, fetch, compare. The Pod of a restore runs load,
 * that of a deletion delete, and that of a store probe.
 */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { withEtcdReader, type EtcdReader, type EtcdTarget } from '../../etcd/client.ts';
import { dialTcp, secureContextOf } from '../../etcd/dial.ts';
import { EtcdConnectionError } from '../../etcd/errors.ts';
import type { Clock, Random } from '../../kubernetes/time/clock.ts';
import { repeated } from '../../kubernetes/time/repeated.ts';
import type { BackupFile, Manifest } from '../format/manifest-type.ts';
import { DamagedBackupError, readManifest, type FoundManifest } from '../read-backup.ts';
import { lockedUntil } from '../stores/new-object-headers.ts';
import { deleteBackup } from '../delete-backup.ts';
import { takeBackup } from '../take-backup.ts';
import type { JobConfig, JobResult } from './config.ts';
import { backupAccess, downloadBackup, type CreateFile } from './download.ts';
import { checkAuthority, checkSameAuthority, readObjects } from './objects.ts';
import { openKey, openStore, type ReadText } from './open-store.ts';
import { authorityFile, JOB_FILES, PATHS, PROOF_FILES, SNAPSHOT_FILE } from './paths.ts';
import { probeStore } from './probe.ts';

interface StageTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly randomBytes: (count: number) => Buffer;
  readonly read: ReadText;
  /** Folder with the mounted volumes; `/` in a Pod. */
  readonly root: string;
  /** Aborted at the deadline. */
  readonly signal: AbortSignal;
}

type Stage = (config: JobConfig, tools: StageTools) => Promise<JobResult>;

/** Pause between attempts to reach etcd, in milliseconds. */
const PAUSE_MS = 500;

/** Takes the backup from the first member that accepts a connection. */
const take: Stage = async (config, tools) => {
  const { read, root, signal, clock } = tools;
  const store = await openStore(config, tools);
  const key = await openKey(config, read);
  const karmada: unknown = JSON.parse(await read(JOB_FILES.karmada));
  const taken = await withMember(config, tools, (etcd) =>
    takeBackup(config, {
      ...tools,
      etcd,
      store,
      signal,
      ...(key !== undefined && { key }),
      readObjects: () => readObjects(karmada, join(root, PATHS.secrets), config.secrets),
    }),
  );
  return { backup: withLock(config, recordOf(taken, authorityIn(taken.objects)), clock.wall()) };
};

type BackupRecord = NonNullable<JobResult['backup']>;

/** All objects were created before now. */
function withLock({ store }: JobConfig, backup: BackupRecord, now: number): BackupRecord {
  const lock = store === 'volume' ? undefined : store.s3.objectLock;
  return lock === undefined ? backup : { ...backup, lockedUntil: lockedUntil(lock, now) };
}

/** @param caSHA256 fingerprint of the CA; absent if the backup has none that the proof accepts */
function recordOf({ manifest, manifestSHA256 }: FoundManifest, caSHA256?: string): BackupRecord {
  const { createdAt, etcd, files, encryption } = manifest;
  const sum = (one: (file: BackupFile) => number): number =>
    files.reduce((total, file) => total + one(file), 0);
  const sizes = { sizeBytes: sum((f) => f.sizeBytes), storedBytes: sum((f) => f.storedBytes) };
  return {
    createdAt,
    etcd,
    ...sizes,
    manifestSHA256,
    ...(encryption !== 'None' && { keyID: encryption.keyID }),
    ...(caSHA256 !== undefined && { caSHA256 }),
  };
}

/** The proof that follows reports what is wrong. */
function authorityIn(objects: Buffer): string | undefined {
  try {
    return checkAuthority(objects);
  } catch {
    return undefined;
  }
}

/**
 * Time in milliseconds for which a Pod that has just started waits for a member. Where a NetworkPolicy is enforced, members refuse its
 * connections until the policy engine knows its address.
 */
const REACHED_MS = 30_000;

/** Reads one of the members, and the next one if it does not respond. @throws EtcdConnectionError if none responds in time */
async function withMember<T>(
  { etcd: { hosts, port } }: JobConfig,
  { read, signal, clock }: StageTools,
  use: (etcd: EtcdReader) => Promise<T>,
): Promise<T> {
  const context = secureContextOf({
    ca: await read(JOB_FILES.etcdCA),
    certificate: await read(JOB_FILES.etcdCertificate),
    key: await read(JOB_FILES.etcdKey),
  });
  const attempt = (host: string): Promise<T> =>
    withEtcdReader(
      { dial: dialTcp({ host, port }), tls: { context, serverName: host } },
      signal,
      use,
    );
  const until = clock.monotonic() + REACHED_MS;
  return repeated(
    () => withOneOf(hosts, attempt),
    (error) => isAway(error) && clock.monotonic() < until,
    { clock, signal, pauseMs: PAUSE_MS },
  );
}

const isAway = (error: unknown): boolean =>
  error instanceof EtcdConnectionError && error.failure.stage !== 'answer';

/** Tries each host until one responds. */
async function withOneOf<T>(
  [first = '', ...others]: readonly string[],
  attempt: (host: string) => Promise<T>,
): Promise<T> {
  for (const [index, host] of [first, ...others].entries()) {
    try {
      return await attempt(host);
    } catch (error) {
      if (!isAway(error) || index === others.length) throw error;
    }
  }
  throw new Error('the configuration names no member');
}

const createIn =
  (root: string): CreateFile =>
  (path, mode) =>
    createWriteStream(join(root, path), { flags: 'wx', mode });

/** Downloads the backup for its proof. */
const fetch: Stage = async (config, tools) => {
  const file = { path: PROOF_FILES.snapshot, mode: 0o600 };
  const found = await downloadBackup(config, await downloadTools(config, tools), file);
  const caSHA256 = checkAuthority(found.objects);
  // The key that was used, and not the one that the manifest names.
  return config.isExisting ? { backup: withUsedKey(config, recordOf(found, caSHA256)) } : {};
};

const withUsedKey = ({ encryption }: JobConfig, backup: BackupRecord): BackupRecord =>
  encryption === 'None' ? backup : { ...backup, keyID: encryption.keyID };

/** Downloads the backup that replaces the data of a control plane. */
const load: Stage = async (config, tools) => {
  // The containers of etcd may have another user.
  const file = { path: SNAPSHOT_FILE, mode: 0o644 };
  const loaded = await downloadBackup(config, await downloadTools(config, tools), file);
  checkAuthority(loaded.objects);
  const [authority = ''] = config.secrets;
  const current = await tools.read(authorityFile(authority));
  checkSameAuthority(loaded.objects, current, config.confirmedCA);
  return {};
};

const downloadTools = async (
  config: JobConfig,
  tools: StageTools,
): Promise<Parameters<typeof downloadBackup>[1]> => ({
  store: await openStore(config, tools),
  create: createIn(tools.root),
  read: tools.read,
  signal: tools.signal,
});

/** Compares the data of the restored member with the manifest. */
const compare: Stage = async (config, tools) => {
  const access = await backupAccess(config, await downloadTools(config, tools));
  const { manifest, manifestSHA256 } = await readManifest(config.folder, access);
  const target = { dial: dialTcp({ host: '127.0.0.1', port: 2379 }) };
  await compareEtcd(target, manifest.etcd, tools);
  return { isProven: true, manifestSHA256 };
};

/**
 * Waits for a restored member and compares its keys and its hash.
 * @throws DamagedBackupError if they differ; EtcdConnectionError if the member does not respond in time
 */
async function compareEtcd(
  target: EtcdTarget,
  expected: Manifest['etcd'],
  tools: Pick<StageTools, 'clock' | 'signal'>,
): Promise<void> {
  const { revision, keys, hashes } = expected;
  const { signal } = tools;
  const compare = async (etcd: EtcdReader): Promise<void> => {
    const [count, found] = [await etcd.countKeys(revision), await etcd.hashKV(revision)];
    if (count !== keys)
      throw new DamagedBackupError(`the restored etcd has ${count} keys instead of ${keys}`);
    const same = hashes.find((one) => one.compactRevision === found.compactRevision);
    if (same?.hash !== found.hash)
      throw new DamagedBackupError('the restored etcd has another hash than the original');
  };
  return repeated(
    () => withEtcdReader(target, signal, compare),
    (error) => error instanceof EtcdConnectionError,
    { ...tools, pauseMs: PAUSE_MS },
  );
}

/** Deletes the files of a backup. */
const remove: Stage = async (config, tools) => {
  await deleteBackup(await openStore(config, tools), config.folder, tools.signal);
  return {};
};

/** Probes the store, and checks the encryption key. The folder is the prefix of the object of the probe. */
const probe: Stage = async (config, tools) => {
  await openKey(config, tools.read);
  const random = tools.randomBytes(8).toString('hex');
  const of = { prefix: config.folder, random, signal: tools.signal };
  await probeStore(await openStore(config, tools), of);
  return {};
};

/** Stages by the name on the command line. */
export const STAGES: Readonly<Record<string, Stage>> = {
  take,
  fetch,
  compare,
  load,
  delete: remove,
  probe,
};
