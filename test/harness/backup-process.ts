/** Program: takes a backup with a stub as etcd, as the container of a backup does. Its argument is a `JobProcess` as JSON. */
import { randomBytes } from 'node:crypto';
import { parseBackupKey } from '../../src/backup/format/key.ts';
import { createFileStore } from '../../src/backup/stores/file-store.ts';
import type { S3Settings } from '../../src/backup/stores/s3-client.ts';
import { createS3Store } from '../../src/backup/stores/s3-store.ts';
import { storeErrorText } from '../../src/backup/stores/store-remedies.ts';
import { takeBackup } from '../../src/backup/take-backup.ts';
import { systemClock } from '../../src/kubernetes/clock.ts';

export interface JobProcess {
  readonly store: S3Settings | { readonly path: string };
  readonly folder: string;
  /** Key of the backup in hexadecimal; absent for none. */
  readonly key?: string;
  readonly snapshotMiB: number;
}

/** What the process writes at its end. */
export interface JobOutput {
  readonly error?: string;
  /** Largest resident memory in MiB. */
  readonly memoryMiB: number;
  /** Processor time in seconds. */
  readonly cpuSeconds: number;
}

/** etcd sends snapshots in such pieces. */
const PIECE = randomBytes(32_768);

async function* snapshot(mebibytes: number): AsyncGenerator<Buffer> {
  for (let n = 0; n < mebibytes * 32; n += 1) yield await Promise.resolve(PIECE);
}

async function take({ store, folder, key, snapshotMiB }: JobProcess): Promise<void> {
  const hash = { hash: 1, compactRevision: '1', revision: '1' };
  const status = { revision: '1', version: '3.6.6', clusterId: '1', memberId: '1' };
  const tools = { clock: systemClock, random: Math.random };
  const metadata = { namespace: 'team', name: 'demo', uid: 'u' };
  await takeBackup(
    { backup: metadata, karmada: metadata, operatorVersion: '0.0.0', folder },
    {
      ...tools,
      etcd: {
        readWithQuorum: () => Promise.resolve(),
        status: () => Promise.resolve(status as never),
        hashKV: () => Promise.resolve(hash as never),
        countKeys: () => Promise.resolve('1'),
        snapshot: () => snapshot(snapshotMiB),
      },
      store: 'path' in store ? createFileStore(store.path) : createS3Store(store, tools),
      ...(key !== undefined && { key: parseBackupKey('k1', key) }),
      readObjects: () => Promise.resolve(Buffer.from('{}')),
      ...{ randomBytes, signal: new AbortController().signal },
    },
  );
}

const error = await take(JSON.parse(process.argv[2] ?? '') as JobProcess).then(
  () => undefined,
  (reason: unknown) => storeErrorText(reason),
);
const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
const output: JobOutput = {
  ...(error !== undefined && { error }),
  memoryMiB: Math.ceil(maxRSS / 1024),
  cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
};
process.stdout.write(JSON.stringify(output));
