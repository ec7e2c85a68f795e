/** On which host the control plane of a Karmada is. */
import type { Problem } from '../../api/problem.ts';
import type { Karmada } from '../../api/karmada.ts';
import type { SecretRefusal } from '../../api/secret-grant.ts';
import type { HostUser } from '../../hosts/host-user.ts';
import {
  hostIdentity,
  hostReference,
  hostSecretOf,
  type HostReference,
} from '../../hosts/host-reference.ts';
import type { RemoteHosts } from '../../hosts/remote-hosts.ts';
import { hostChange } from '../immutable-fields.ts';
import { abandonCommand, isAbandoned } from './abandon-host.ts';
import { clusterUid, karmadaOf, type Host, type Local } from '../../hosts/host.ts';

export interface PlaceTools {
  readonly local: Local;
  readonly hosts: Pick<RemoteHosts, 'of' | 'leave'>;
}

/**
 * A host that can be worked on, or why there is none now: `unread` while its first check is under way, which says nothing
 * of the host. Another pass follows when that changes.
 */
export type Place =
  | { readonly host: Host; readonly secretWarning?: SecretRefusal }
  | { readonly problem: Problem }
  | { readonly unread: Problem };

const UNREAD: Problem = {
  reason: 'Progressing',
  message: 'the host cluster of spec.hostCluster.secretRef is being looked at',
};

/** Where the control plane of a Karmada is. Waits for nothing. */
export function placeOf({ local, hosts }: PlaceTools, key: string, karmada: Karmada): Place {
  const reference = hostReference(karmada);
  const change = hostChange(karmada, reference !== undefined);
  if (reference === undefined || change !== undefined) hosts.leave(key);
  if (change !== undefined) return { problem: change };
  if (reference === undefined) return { host: local };
  const view = hosts.of(key, reference, userOf(karmada, reference));
  if (view.state === 'unread') return { unread: UNREAD };
  if (view.state === 'unreached') return { problem: view.problem };
  const { host, warning } = view;
  if (isOther(karmada, clusterUid(host))) return { problem: other(karmada, host.remote.server) };
  return { host, ...(warning && { secretWarning: warning }) };
}

/** An operator that did not note the Secret yet made the control plane with the one that the spec names. */
function userOf({ metadata, status }: Karmada, reference: HostReference): HostUser {
  const { name, namespace = '' } = metadata;
  const { hostUID, hostSecret = hostSecretOf(reference) } = status ?? {};
  const inUse = hostUID !== undefined && hostSecret === hostSecretOf(reference);
  return { karmada: { name, namespace }, inUse };
}

/** Whether the control plane was made in another cluster, and its owner has not given it up there. */
export function isOther(karmada: Karmada, uid: string | undefined): boolean {
  const { hostUID } = karmada.status ?? {};
  const known = hostUID !== undefined && uid !== undefined;
  return known && hostUID !== uid && !isAbandoned(karmada, hostUID);
}

const other = (karmada: Karmada, server: string): Problem => ({
  reason: 'HostChanged',
  message: `the Secret of spec.hostCluster.secretRef leads to another cluster (${server}) than the one with the control plane and its data: name that one again; if it is gone for good, run ${abandonCommand(karmada, karmada.status?.hostUID)}, and the control plane is made anew without its data`,
});

/** Karmadas with the same lane may hold each other up. */
export function laneOf(local: Local, key: string): string {
  const karmada = karmadaOf(local, key);
  const reference = karmada && hostReference(karmada);
  return reference === undefined ? '' : hostIdentity(reference);
}
