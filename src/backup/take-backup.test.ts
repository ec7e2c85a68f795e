import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { manualClock } from '../kubernetes/time/clock.fixture.ts';
import { createFileStore } from './stores/file-store.ts';
import { takeBackup, type TakenBackup } from './take-backup.ts';

const FOLDER = 'team/first';
const { signal } = new AbortController();
const store = createFileStore(await mkdtemp(join(tmpdir(), 'take-backup-')));

/** A stub of etcd whose data has one key. */
const etcd = {
  readWithQuorum: () => Promise.resolve(),
  status: () =>
    Promise.resolve({ revision: '1', version: '3.6.6', clusterId: '1', memberId: '1' } as never),
  hashKV: () => Promise.resolve({ hash: '1', compactRevision: '1', hashRevision: '1' }),
  countKeys: () => Promise.resolve('1'),
  async *snapshot() {
    yield await Promise.resolve(Buffer.from('snapshot'));
  },
};

/** Takes a backup while the objects of the control plane are read several times. */
function take(folder: string, reads: readonly string[]): Promise<TakenBackup> {
  const left = [...reads];
  return takeBackup(
    {
      folder,
      backup: { namespace: 'team', name: 'first', uid: 'backup-uid' },
      karmada: { namespace: 'team', name: 'demo', uid: 'karmada-uid' },
      operatorVersion: '0.0.0',
    },
    {
      etcd,
      store,
      randomBytes,
      signal,
      clock: manualClock(),
      readObjects: () => Promise.resolve(Buffer.from(left.shift() ?? '')),
    },
  );
}

const stored = async (folder: string): Promise<string[]> =>
  (await store.list(`${folder}/`, signal)).map(({ key }) => key);

it('stores the objects that are the same before and after the snapshot of etcd', async () => {
  const { objects } = await take(FOLDER, ['{"ca":1}', '{"ca":1}']);
  expect(objects.toString()).toBe('{"ca":1}');
  expect(await stored(FOLDER)).toContain(`${FOLDER}/manifest.jsonl`);
});

it('stores no manifest if a Secret changes during the snapshot of etcd', async () => {
  await expect(take('team/second', ['{"ca":1}', '{"ca":2}'])).rejects.toThrow(
    'Secrets of the control plane changed during the backup',
  );
  expect(await stored('team/second')).not.toContain('team/second/manifest.jsonl');
});
