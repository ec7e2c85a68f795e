/** Processes that take a backup and are killed, or whose volume is full: nothing that looks like a backup, and nothing left. */
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deleteBackup } from '../../../src/backup/delete-backup.ts';
import { parseBackupKey } from '../../../src/backup/format/key.ts';
import { readBackupFile, readManifest } from '../../../src/backup/read-backup.ts';
import { createFileStore } from '../../../src/backup/stores/file-store.ts';
import type { ObjectStore } from '../../../src/backup/stores/object-store.ts';
import { createS3Client } from '../../../src/backup/stores/s3-client.ts';
import { createS3Store } from '../../../src/backup/stores/s3-store.ts';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import { eventually } from '../../harness/servers/apiserver-client.ts';
import type { JobOutput, JobProcess } from '../../harness/backup-process.ts';
import {
  CREDENTIALS,
  startFaults,
  startS3Server,
  type S3Server,
} from '../../harness/servers/s3-server.ts';

const PROGRAM = join(checkout, 'test/harness/backup-process.ts');
const KEY = randomBytes(32).toString('hex');
const key = parseBackupKey('k1', KEY);
const never = new AbortController().signal;
const tools = { clock: systemClock, random: Math.random };
/** Three parts. */
const SNAPSHOT_MIB = 20;

let s3: S3Server;
let folder: string;

beforeAll(async () => {
  s3 = await startS3Server();
  folder = await mkdtemp(join(tmpdir(), 'backup-killed-'));
}, 600_000);

afterAll(async () => {
  await s3.close();
  await rm(folder, { recursive: true, force: true });
});

const argumentsOf = (job: Omit<JobProcess, 'key'>): string[] => [
  PROGRAM,
  JSON.stringify({ ...job, key: KEY } satisfies JobProcess),
];

async function completes(job: Omit<JobProcess, 'key'>, store: ObjectStore): Promise<void> {
  const { stdout } = await promisify(execFile)(process.execPath, argumentsOf(job));
  expect((JSON.parse(stdout) as JobOutput).error).toBeUndefined();
  await isWhole(store, job.folder);
}

async function isWhole(store: ObjectStore, backup: string): Promise<void> {
  const access = { store, key, signal: never };
  for (const file of (await readManifest(backup, access)).manifest.files) {
    let bytes = 0;
    for await (const piece of readBackupFile(backup, file, access)) bytes += piece.length;
    expect(bytes).toBe(file.sizeBytes);
  }
}

const unfinished = async (prefix: string): Promise<boolean> => {
  const client = createS3Client(s3.settings, tools);
  const query = { uploads: '', prefix };
  return (await client.call({ method: 'GET', query, signal: never })).text.includes('<UploadId>');
};

describe('the process of a backup', () => {
  it('leaves no manifest in a bucket when it is killed before any of its requests, and what it leaves can be deleted', async () => {
    const store = createS3Store(s3.settings, tools);
    const killedAt: string[] = [];
    let left = 0;
    for (let last = 1; ; last += 1) {
      const backup = `killed/${String(last)}`;
      let requests = 0;
      const kill = (): boolean => child.kill('SIGKILL');
      const proxy = await startFaults(s3, (name) => {
        requests += 1;
        if (requests < last) return 'pass';
        killedAt.push(name);
        kill();
        return 'stall request';
      });
      const job = {
        store: { ...proxy.settings, credentials: CREDENTIALS },
        folder: backup,
        snapshotMiB: SNAPSHOT_MIB,
      };
      const child = spawn(process.execPath, argumentsOf(job), { stdio: 'ignore' });
      const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
      await proxy.close();
      if (signal === null) {
        await isWhole(store, backup);
        break;
      }
      const keys = (await store.list(`${backup}/`, never)).map((one) => one.key);
      expect(keys).not.toContain(`${backup}/manifest.jsonl`);
      if (await unfinished(backup)) left += 1;
      await deleteBackup(store, backup, never);
      expect(await store.list(`${backup}/`, never)).toEqual([]);
      expect(await unfinished(`${backup}/`)).toBe(false);
    }
    expect(killedAt).toEqual(
      expect.arrayContaining(['begin upload', 'part 1', 'part 2', 'part 3', 'complete upload']),
    );
    expect(left).toBeGreaterThanOrEqual(4);
  });

  it('leaves no manifest in a volume when it is killed, the next one completes, and what the first left can be deleted', async () => {
    const store = createFileStore(folder);
    const job = { store: { path: folder }, folder: 'killed/first', snapshotMiB: 50_000 };
    const child = spawn(process.execPath, argumentsOf(job), { stdio: 'ignore' });
    const files = (): Promise<string[]> => readdir(folder, { recursive: true });
    await eventually('the process writes', async () =>
      (await files()).some((name) => name.endsWith('.part')),
    );
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await store.list('killed/first/', never)).toEqual([]);
    await completes({ ...job, folder: 'killed/next', snapshotMiB: SNAPSHOT_MIB }, store);
    await deleteBackup(store, 'killed/first', never);
    expect((await files()).filter((name) => name.endsWith('.part'))).toEqual([]);
    await isWhole(store, 'killed/next');
  });

  it('reports a full volume by its field, and leaves nothing there', async () => {
    const job = { store: { path: '/mnt' }, folder: 'full/one', snapshotMiB: SNAPSHOT_MIB };
    const script =
      'mount -t tmpfs -o size=9m tmpfs /mnt && "$@" && printf "\\n" && find /mnt -type f';
    const { stdout } = await promisify(execFile)('unshare', [
      '--map-root-user',
      '--mount',
      'sh',
      '-c',
      script,
      'sh',
      process.execPath,
      ...argumentsOf(job),
    ]);
    const [output = '', ...files] = stdout.trim().split('\n');
    expect((JSON.parse(output) as JobOutput).error).toBe(
      'full/one/etcd.snapshot.enc: ENOSPC; spec.volume.claimName: the store is full; enlarge the PVC, or delete backups',
    );
    expect(files).toEqual([]);
  });
});
