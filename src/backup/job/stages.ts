/**
 * The programs that the containers of a backup run, in this order: take, fetch, compare. The Pod of a restore runs load,
 * that of a deletion delete, and that of a store probe.
 */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { withEtcdReader, type EtcdReader, type EtcdTarget } from '../../etcd/client.ts';
import { dialTcp, secureContextOf } from '../../etcd/dial.ts';
import { EtcdConnectionError } from '../../etcd/errors.ts';
import { sleep, type Clock, type Random } from '../../kubernetes/clock.ts';
import { keyIDOf, MANIFEST, type BackupFile, type Manifest } from '../format/manifest.ts';
import {
  DamagedBackupError,
  readBackupFile,
  readManifest,
  type ReadTools,
} from '../read-backup.ts';
import { lockedUntil } from '../stores/new-object-headers.ts';
import { readSmall, type ObjectStore } from '../stores/object-store.ts';
import { deleteBackup } from '../delete-backup.ts';
import { FILES, takeBackup } from '../take-backup.ts';
import type { JobConfig, JobResult } from './config.ts';
import { checkAuthority, checkSameAuthority, checkSameName, readObjects } from './objects.ts';
import { openKey, openStore, type ReadText } from './open-store.ts';
import { PATHS, PROOF_FILES, SNAPSHOT_FILE } from './paths.ts';
import { probeStore } from './probe.ts';
import { sizeText, UNTRUSTED } from '../../untrusted/limits.ts';

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
  const karmada: unknown = JSON.parse(await read(join(PATHS.config, 'karmada.json')));
  const manifest = await withMember(config, tools, (etcd) =>
    takeBackup(config, {
      ...{ ...tools, etcd, store, signal },
      ...(key !== undefined && { key }),
      readObjects: () => readObjects(karmada, join(root, PATHS.secrets), config.secrets),
    }),
  );
  return withLock(config, resultOf(manifest), clock.wall());
};

/** All objects were created before now. */
function withLock({ store }: JobConfig, { backup }: JobResult, now: number): JobResult {
  const lock = store === 'volume' ? undefined : store.s3.objectLock;
  if (lock === undefined || backup === undefined) return { ...(backup && { backup }) };
  return { backup: { ...backup, lockedUntil: lockedUntil(lock, now) } };
}

function resultOf({ createdAt, etcd, files }: Manifest): JobResult {
  const sum = (one: (file: BackupFile) => number): number =>
    files.reduce((total, file) => total + one(file), 0);
  const sizes = { sizeBytes: sum((f) => f.sizeBytes), storedBytes: sum((f) => f.storedBytes) };
  return { backup: { createdAt, etcd, ...sizes } };
}

async function withMember<T>(
  { etcd: { hosts, port } }: JobConfig,
  { read, signal }: StageTools,
  use: (etcd: EtcdReader) => Promise<T>,
): Promise<T> {
  const file = (name: string): Promise<string> => read(join(PATHS.etcdClient, name));
  const context = secureContextOf({
    ca: await file('etcd-ca.crt'),
    certificate: await file('etcd-client.crt'),
    key: await file('etcd-client.key'),
  });
  const [first = '', ...others] = hosts;
  const attempt = (host: string): Promise<T> =>
    withEtcdReader(
      { dial: dialTcp({ host, port }), tls: { context, serverName: host } },
      signal,
      use,
    );
  for (const [index, host] of [first, ...others].entries()) {
    try {
      return await attempt(host);
    } catch (error) {
      const isAway = error instanceof EtcdConnectionError && error.failure.stage !== 'answer';
      if (!isAway || index === others.length) throw error;
    }
  }
  throw new Error('the configuration names no member');
}

/** Downloads the backup for its proof. */
const fetch: Stage = async (config, tools) => {
  const file = { path: PROOF_FILES.snapshot, mode: 0o600 };
  const { manifest, objects } = await download(config, tools, file);
  checkAuthority(objects);
  return config.isExisting ? resultOf(manifest) : {};
};

/** Downloads the backup that replaces the data of a control plane. */
const load: Stage = async (config, tools) => {
  // The containers of etcd may have another user.
  const loaded = await download(config, tools, { path: SNAPSHOT_FILE, mode: 0o644 });
  checkAuthority(loaded.objects);
  if (loaded.manifest.karmada.uid === config.karmada.uid) return {};
  const [authority = ''] = config.secrets;
  const current = await tools.read(join(PATHS.secrets, authority, 'ca.crt'));
  checkSameAuthority(loaded.objects, current);
  return {};
};

interface Downloaded {
  readonly manifest: Manifest;
  /** Content of `objects.json`. */
  readonly objects: Buffer;
}

/** Downloads the backup, verifies every byte and writes the snapshot for `etcdutl`. */
async function download(
  config: JobConfig,
  tools: StageTools,
  { path, mode }: { readonly path: string; readonly mode: number },
): Promise<Downloaded> {
  const access = await openBackup(config, tools);
  const manifest = await readManifest(config.folder, access);
  checkSameName(manifest.karmada, config.karmada);
  if (!config.isExisting && manifest.backup.uid !== config.backup.uid)
    throw new DamagedBackupError('the manifest is that of another backup');
  const snapshot = readBackupFile(config.folder, fileOf(manifest, FILES.etcd), access);
  await pipeline(snapshot, createWriteStream(join(tools.root, path), { flags: 'wx', mode }));
  const objects = readBackupFile(config.folder, fileOf(manifest, FILES.objects), access);
  return { manifest, objects: await wholeOf(objects, FILES.objects) };
}

/** The store may send more than the manifest says, which is known only at the end. */
async function wholeOf(content: AsyncIterable<Buffer>, name: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of content) {
    length += piece.length;
    if (length > UNTRUSTED.backedUpObjects)
      throw new DamagedBackupError(`${name} has more than ${sizeText(UNTRUSTED.backedUpObjects)}`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

async function openBackup(config: JobConfig, tools: StageTools): Promise<ReadTools> {
  const store = await openStore(config, tools);
  const key = await openKey(await usedKey(config, store, tools.signal), tools.read);
  return { store, signal: tools.signal, ...(key !== undefined && { key }) };
}

/** The store may have got another key since. A backup that is not encrypted does not decide on that itself. */
async function usedKey(
  { encryption, folder }: JobConfig,
  store: ObjectStore,
  signal: AbortSignal,
): Promise<Pick<JobConfig, 'encryption'>> {
  if (encryption === 'None') return { encryption };
  const keyID = keyIDOf(await readSmall(store, `${folder}/${MANIFEST}`, signal));
  return { encryption: keyID === undefined ? encryption : { keyID } };
}

function fileOf({ files }: Manifest, name: string): BackupFile {
  const file = files.find((one) => one.name === name);
  if (file === undefined) throw new DamagedBackupError(`the manifest names no ${name}`);
  return file;
}

/** Compares the data of the restored member with the manifest. */
const compare: Stage = async (config, tools) => {
  const { etcd } = await readManifest(config.folder, await openBackup(config, tools));
  const target = { dial: dialTcp({ host: '127.0.0.1', port: 2379 }) };
  await compareEtcd(target, etcd, tools);
  return { isProven: true };
};

/**
 * Waits for a restored member and compares its keys and its hash.
 * @throws DamagedBackupError if they differ; EtcdConnectionError if the member does not respond in time
 */
async function compareEtcd(
  target: EtcdTarget,
  expected: Manifest['etcd'],
  { clock, signal }: Pick<StageTools, 'clock' | 'signal'>,
): Promise<void> {
  const { revision, keys, hashes } = expected;
  for (;;) {
    try {
      return await withEtcdReader(target, signal, async (etcd) => {
        const [count, found] = [await etcd.countKeys(revision), await etcd.hashKV(revision)];
        if (count !== keys)
          throw new DamagedBackupError(`the restored etcd has ${count} keys instead of ${keys}`);
        const same = hashes.find((one) => one.compactRevision === found.compactRevision);
        if (same?.hash !== found.hash)
          throw new DamagedBackupError('the restored etcd has another hash than the original');
      });
    } catch (error) {
      if (!(error instanceof EtcdConnectionError) || signal.aborted) throw error;
      await sleep(clock, PAUSE_MS, signal);
    }
  }
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
