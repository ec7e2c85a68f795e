import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { deleteBackup } from './delete-backup.ts';
import { MANIFEST } from './format/manifest-type.ts';
import { createFileStore } from './stores/file-store.ts';
import { once, type ObjectStore } from './stores/object-store.ts';

const { signal } = new AbortController();
const FOLDER = 'team/first';
const FILES = [MANIFEST, 'etcd.snapshot.enc', 'objects.json.enc'].map(
  (name) => `${FOLDER}/${name}`,
);

async function storeWith(...keys: string[]): Promise<ObjectStore> {
  const store = createFileStore(await mkdtemp(join(tmpdir(), 'delete-')));
  for (const key of keys) await store.upload(key, once(Buffer.from('x')), signal);
  return store;
}

const keysIn = async (store: ObjectStore): Promise<string[]> =>
  (await store.list('', signal)).map(({ key }) => key).sort();

describe('deleteBackup', () => {
  it('deletes the files of the backup, and no others', async () => {
    const others = ['team/first-2/manifest.json', 'team/other/etcd.snapshot'];
    const store = await storeWith(...FILES, ...others);
    await deleteBackup(store, FOLDER, signal);
    expect(await keysIn(store)).toEqual(others);
  });

  it.each([1, 2])(
    'leaves nothing that looks like a backup when it fails after %i deletions',
    async (count) => {
      const store = await storeWith(...FILES);
      let left = count;
      const failing: ObjectStore = {
        ...store,
        delete: async (key, ...more) => {
          if (left === 0) throw new Error('no connection');
          left -= 1;
          await store.delete(key, ...more);
        },
      };
      await expect(deleteBackup(failing, FOLDER, signal)).rejects.toThrow('no connection');
      const keys = await keysIn(store);
      expect(keys).toHaveLength(FILES.length - count);
      expect(keys).not.toContain(`${FOLDER}/${MANIFEST}`);
      await deleteBackup(store, FOLDER, signal);
      expect(await keysIn(store)).toEqual([]);
    },
  );
});
