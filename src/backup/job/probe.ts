/** Probe of a store: writes, lists, reads and deletes a small object, as a backup does with its files. */
import {
  once,
  readSmall,
  STORE_CODE,
  StoreError,
  type ObjectStore,
} from '../stores/object-store.ts';

interface Probe {
  /** No other object has it. What an interrupted probe left there is replaced. */
  readonly key: string;
  readonly content: Buffer;
  readonly signal: AbortSignal;
}

/**
 * Probes a store.
 * @throws StoreError
 */
export async function probeStore(
  store: ObjectStore,
  { key, content, signal }: Probe,
): Promise<void> {
  await store.delete(key, signal);
  await store.upload(key, once(content), signal);
  if (!(await readSmall(store, key, signal)).equals(content))
    throw new StoreError(`${key}: the store returns another content`, STORE_CODE.incomplete);
  const listed = await store.list(key, signal);
  if (!listed.some((one) => one.key === key))
    throw new StoreError(`${key}: the store does not list the object`, STORE_CODE.incomplete);
  await store.delete(key, signal);
}
