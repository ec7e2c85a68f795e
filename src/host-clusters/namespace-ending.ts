import { resources } from '../kubernetes/objects/resources.ts';
import type { Host } from './host.ts';

/**
 * Returns whether a Namespace is terminating. Kubernetes cannot cancel such a deletion. Confirms a cached deletion
 * with a live read, because a new Namespace with the same name may exist. Without a cache, it only reads live.
 */
export async function isNamespaceEnding(
  { namespaces, client }: Pick<Host, 'namespaces' | 'client'>,
  name: string,
): Promise<boolean> {
  const isCached = namespaces?.cache.get({ name })?.metadata.deletionTimestamp !== undefined;
  if (namespaces !== undefined && !isCached) return false;
  const live = await client.find(resources.Namespace, { name });
  return live?.metadata.deletionTimestamp !== undefined;
}
