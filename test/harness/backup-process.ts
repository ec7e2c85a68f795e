/** Program: takes a backup of a stub or of a real etcd, as the container of a backup does. Its argument is a `JobProcess` as JSON. */
import { randomBytes } from 'node:crypto';
import { parseBackupKey } from '../../src/backup/format/key.ts';
import { fixedCredentials, type S3Credentials } from '../../src/backup/stores/credentials.ts';
import { createFileStore } from '../../src/backup/stores/file-store.ts';
import type { S3Settings } from '../../src/backup/stores/s3-client.ts';
import { createS3Store } from '../../src/backup/stores/s3-store.ts';
import { storeErrorText } from '../../src/backup/stores/store-remedies.ts';
import { takeBackup, type BackupTools } from '../../src/backup/take-backup.ts';
import { withEtcdReader } from '../../src/etcd/client.ts';
import { dialTcp, secureContextOf } from '../../src/etcd/dial.ts';
import { systemClock } from '../../src/kubernetes/time/clock.ts';

export interface JobProcess {
  readonly store:
    | (Omit<S3Settings, 'credentials'> & { readonly credentials: S3Credentials })
    | { readonly path: string };
  readonly folder: string;
  /** Key of the backup in hexadecimal; absent for none. */
  readonly key?: string;
  /** Size of the snapshot of a stub. */
  readonly snapshotMiB?: number;
  /** Member of a real etcd on the loopback interface; certificates and key in PEM. */
  readonly etcd?: Readonly<Record<'serverName' | 'ca' | 'certificate' | 'key', string>> & {
    readonly port: number;
  };
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

/** Answers of an etcd with one key. */
function stub(mebibytes: number): BackupTools['etcd'] {
  const hash = { hash: '1', compactRevision: '1', hashRevision: '1' };
  const status = { revision: '1', version: '3.6.6', clusterId: '1', memberId: '1' };
  return {
    readWithQuorum: () => Promise.resolve(),
    status: () => Promise.resolve(status as never),
    hashKV: () => Promise.resolve(hash),
    countKeys: () => Promise.resolve('1'),
    snapshot: () => snapshot(mebibytes),
  };
}

const { signal } = new AbortController();

async function take({ store, folder, key, snapshotMiB = 1, etcd }: JobProcess): Promise<void> {
  const tools = { clock: systemClock, random: Math.random };
  const metadata = { namespace: 'team', name: 'demo', uid: 'u' };
  const takeFrom = async (source: BackupTools['etcd']): Promise<void> => {
    await takeBackup(
      { backup: metadata, karmada: metadata, operatorVersion: '0.0.0', folder },
      {
        ...tools,
        randomBytes,
        signal,
        etcd: source,
        store:
          'path' in store
            ? createFileStore(store.path)
            : createS3Store({ ...store, credentials: fixedCredentials(store.credentials) }, tools),
        ...(key !== undefined && { key: parseBackupKey('k1', key) }),
        readObjects: () => Promise.resolve(Buffer.from('{}')),
      },
    );
  };
  if (etcd === undefined) return takeFrom(stub(snapshotMiB));
  const dial = dialTcp({ host: '127.0.0.1', port: etcd.port });
  const tls = { context: secureContextOf(etcd), serverName: etcd.serverName };
  return withEtcdReader({ dial, tls }, signal, takeFrom);
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
