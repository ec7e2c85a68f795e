/** Deletes a backup from its store, also an incomplete one. */
import { MANIFEST } from './format/manifest.ts';
import type { ObjectStore } from './stores/object-store.ts';

/**
 * Deletes the files of a backup. Without a manifest, the rest of an interrupted deletion is no backup.
 * @throws StoreError
 */
export async function deleteBackup(
  store: ObjectStore,
  backup: string,
  signal: AbortSignal,
): Promise<void> {
  const folder = `${backup}/`;
  await store.delete(folder + MANIFEST, signal);
  for (const { key } of await store.list(folder, signal))
    if (key.startsWith(folder)) await store.delete(key, signal);
  await store.deleteUnfinished(folder, signal);
}
