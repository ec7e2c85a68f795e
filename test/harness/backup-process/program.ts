/**
 * Takes a backup of a stub or of a real etcd in a process of its own, like the Pod of a backup: to kill it, and to measure it. Its settings are JSON
 * in the standard input, its result is JSON in the standard output.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { parseBackupKey } from '../../../src/backup/format/key.ts';
import { fixedCredentials } from '../../../src/backup/stores/credentials.ts';
import { createS3Store } from '../../../src/backup/stores/s3-store.ts';
import { takeBackup, type BackupTools } from '../../../src/backup/take-backup.ts';
import { withEtcdReader } from '../../../src/etcd/client.ts';
import { dialTcp, secureContextOf } from '../../../src/etcd/dial.ts';
import { systemClock } from '../../../src/kubernetes/clock.ts';
import type { BackupProcessSettings, BackupProcessResult } from './settings.ts';

const PIECE_BYTES = 32_768;

/** A snapshot of random bytes, in pieces like those of etcd. */
async function* snapshot(bytes: number): AsyncGenerator<Buffer> {
  const pieces = Array.from({ length: 64 }, () => randomBytes(PIECE_BYTES));
  for (let sent = 0, n = 0; sent < bytes; n += 1) {
    const piece = pieces[n % pieces.length] ?? Buffer.alloc(0);
    const next = piece.subarray(0, Math.min(PIECE_BYTES, bytes - sent));
    sent += next.length;
    // A read from a connection.
    if (n % 16 === 0) await new Promise(setImmediate);
    yield next;
  }
}

function peakBytes(): number {
  const [, kilobytes = '0'] =
    /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

/** Answers of an etcd with one key. */
const stub = (bytes: number): BackupTools['etcd'] => ({
  readWithQuorum: async () => Promise.resolve(),
  status: async () =>
    Promise.resolve({
      ...{ revision: '1', version: '3.6.14', clusterId: 'c', memberId: 'm', leaderId: 'm' },
      ...{ term: '1', raftIndex: '1', appliedIndex: '1', isLearner: false, errors: [] },
      ...{ dbSize: '1', dbSizeInUse: '1', dbSizeQuota: '1' },
    }),
  hashKV: async () => Promise.resolve({ hash: '1', compactRevision: '1', hashRevision: '1' }),
  countKeys: async () => Promise.resolve('1'),
  snapshot: () => snapshot(bytes),
});

const { s3, credentials, folder, key, source } = JSON.parse(
  await text(process.stdin),
) as BackupProcessSettings;
const { signal } = new AbortController();
const identity = { namespace: 'team', name: 'stub', uid: 'u' };
const store = createS3Store(
  { ...s3, credentials: fixedCredentials(credentials) },
  { clock: systemClock, random: Math.random },
);

const take = (etcd: BackupTools['etcd']): Promise<unknown> =>
  takeBackup(
    { backup: identity, karmada: identity, operatorVersion: '0.0.0', folder },
    {
      ...{ etcd, store, randomBytes, clock: systemClock, signal, key: parseBackupKey('k1', key) },
      readObjects: async () => Promise.resolve(Buffer.from('{}')),
    },
  );

function takeFrom(): Promise<unknown> {
  if ('bytes' in source) return take(stub(source.bytes));
  const { port, serverName } = source;
  const target = {
    dial: dialTcp({ host: '127.0.0.1', port }),
    tls: { context: secureContextOf(source), serverName },
  };
  return withEtcdReader(target, signal, take);
}

const bytesAtStart = peakBytes();
const began = performance.now();
await takeFrom();
const { user, system } = process.cpuUsage();
const result: BackupProcessResult = {
  seconds: (performance.now() - began) / 1_000,
  processorSeconds: (user + system) / 1e6,
  ...{ bytesAtStart, peakBytes: peakBytes() },
};
process.stdout.write(JSON.stringify(result));
