/** Deletes a backup from its store, also an incomplete one. */
import { OBJECT_NAMES } from './format/manifest-type.ts';
import type { ObjectStore } from './stores/object-store.ts';

/**
 * Deletes the files of a backup, the manifest first: without it, the rest of an interrupted deletion is no backup. Only names of
 * such files are deleted, so a folder with other backups loses nothing.
 * @throws StoreError
 */
export async function deleteBackup(
  store: Pick<ObjectStore, 'delete' | 'deleteUnfinished'>,
  backup: string,
  signal: AbortSignal,
): Promise<void> {
  const keys = OBJECT_NAMES.map((name) => `${backup}/${name}`);
  for (const key of keys) await store.delete(key, signal);
  for (const key of keys) await store.deleteUnfinished(key, signal);
}
