/** Namespace of the operator, as far as a user can find it. */
import type { Karmada } from '../api/karmada.ts';
import { hostReference } from '../host-clusters/host-reference.ts';
import type { Snapshot } from '../instance/snapshot.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { specOf } from '../kubernetes/objects/lease.ts';
import { resources } from '../kubernetes/objects/resources.ts';
import {
  DEFAULT_NAMESPACE,
  namespaceOfIdentity,
  ONE_OPERATOR_LEASE,
} from '../permissions/one-operator-lease.ts';

type LeaseClient = Pick<KubernetesClient, 'find'>;

/** Namespace of the active installation; undefined if no operator holds the Lease, or the user may not read it. */
export async function activeNamespace(client: LeaseClient): Promise<string | undefined> {
  try {
    const lease = await client.find(resources.Lease, ONE_OPERATOR_LEASE);
    return namespaceOfIdentity(specOf(lease).holderIdentity ?? '');
  } catch {
    return undefined;
  }
}

/** Namespace of the operator for NetworkPolicies that one of these Karmadas enforces; the default one if it is unknown. */
export async function previewedNamespace(
  client: LeaseClient,
  all: readonly (Karmada | undefined)[],
): Promise<Pick<Snapshot, 'operatorNamespace'>> {
  const isUsed = all.some(
    (one) => one?.spec?.networkPolicy === 'Enforced' && hostReference(one) === undefined,
  );
  return isUsed ? { operatorNamespace: (await activeNamespace(client)) ?? DEFAULT_NAMESPACE } : {};
}
