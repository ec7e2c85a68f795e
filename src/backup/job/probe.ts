/** Probe of a store: writes, lists, reads and deletes a small object, as a backup does with its files. */
import {
  hasCode,
  once,
  readSmall,
  STORE_CODE,
  StoreError,
  type ObjectStore,
} from '../stores/object-store.ts';

interface Probe {
  /** Only probes of this store have it. */
  readonly prefix: string;
  /** Makes the key unique, and is the content. */
  readonly random: string;
  readonly signal: AbortSignal;
}

/** Probes a store, and deletes what earlier probes left. @throws StoreError */
export async function probeStore(
  store: ObjectStore,
  { prefix, random, signal }: Probe,
): Promise<void> {
  for (const { key } of await store.list(prefix, signal)) await discard(store, key, signal);
  const [key, content] = [`${prefix}-${random}`, Buffer.from(random)];
  await store.upload(key, once(content), signal);
  if (!(await readSmall(store, key, signal)).equals(content))
    throw new StoreError(`${key}: the store returns another content`, STORE_CODE.incomplete);
  const listed = await store.list(prefix, signal);
  if (!listed.some((one) => one.key === key))
    throw new StoreError(`${key}: the store does not list the object`, STORE_CODE.incomplete);
  await discard(store, key, signal);
}

/** A locked object stays until the next probe. */
async function discard(store: ObjectStore, key: string, signal: AbortSignal): Promise<void> {
  try {
    await store.delete(key, signal);
  } catch (error) {
    if (!hasCode(error, STORE_CODE.locked)) throw error;
  }
}
