/** Compares the namespaces of two clusters, from their caches. */
import type { Karmada } from '../api/karmada.ts';
import type { Problem } from '../api/reasons/problem.ts';
import { clusterUid, type Host } from './host.ts';
import { namespaceRefusal, type Management } from './host-namespace.ts';

/** What namespaces in host clusters are compared with. @param name of the namespace of the Karmada */
export const managementOf = (local: Pick<Host, 'namespaces'>, name: string): Management => ({
  uid: clusterUid(local),
  namespace: local.namespaces?.cache.get({ name }),
});

/**
 * Why a Karmada may not use the namespace with its name in a remote host cluster. Undefined if it may, or the control plane is there
 * already.
 */
export function hostNamespaceRefusal(
  host: Pick<Host, 'namespaces' | 'remote'>,
  local: Pick<Host, 'namespaces'>,
  { metadata: { namespace: name = '' } }: Pick<Karmada, 'metadata'>,
): Problem | undefined {
  const uid = clusterUid(local);
  // A Secret may point to the management cluster itself.
  if (host.remote === undefined || (uid !== undefined && clusterUid(host) === uid))
    return undefined;
  const existing = host.namespaces?.cache.get({ name });
  return namespaceRefusal(existing, managementOf(local, name), host.remote.server);
}
