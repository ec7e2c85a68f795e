/** On which host the control plane of a Karmada is. */
import { ABANDON_HOST_ANNOTATION, type Karmada } from '../../api/karmada.ts';
import type { HostProblem } from '../../hosts/read-access.ts';
import { hostIdentity, type RemoteHosts } from '../../hosts/remote-hosts.ts';
import type { HostReference } from '../../hosts/host-access.ts';
import { clusterUid, karmadaOf, type Host, type Local } from '../host.ts';

export interface PlaceTools {
  readonly local: Local;
  readonly hosts: Pick<RemoteHosts, 'of' | 'leave'>;
}

/** A host that can be worked on, or why there is none now; another pass follows when that changes. */
export type Place = { readonly host: Host } | { readonly problem: HostProblem };

/** The host that a spec names; undefined for the operator's own cluster. */
export function hostReference({ spec }: Pick<Karmada, 'spec'>): HostReference | undefined {
  const { secretRef, apiEndpoint } = spec?.hostCluster ?? {};
  if (!secretRef?.name) return undefined;
  const { name, namespace = '' } = secretRef;
  return { secret: { name, namespace }, ...(apiEndpoint && { apiEndpoint }) };
}

const UNREAD: HostProblem = {
  reason: 'Progressing',
  message: 'the host cluster of spec.hostCluster.secretRef is being looked at',
};

/** Where the control plane of a Karmada is. Waits for nothing. */
export function placeOf({ local, hosts }: PlaceTools, key: string, karmada: Karmada): Place {
  const reference = hostReference(karmada);
  if (reference === undefined) {
    hosts.leave(key);
    return { host: local };
  }
  const view = hosts.of(key, reference);
  if (view.state !== 'reached') return { problem: view.state === 'unread' ? UNREAD : view.problem };
  const { host } = view;
  return isOther(karmada, clusterUid(host)) ? { problem: other(host.remote.server) } : { host };
}

/** Whether the control plane was made in another cluster, and its owner has not given it up there. */
export function isOther({ metadata, status }: Karmada, uid: string | undefined): boolean {
  const { hostUID } = status ?? {};
  const known = hostUID !== undefined && uid !== undefined;
  return known && hostUID !== uid && metadata.annotations?.[ABANDON_HOST_ANNOTATION] !== 'true';
}

const other = (server: string): HostProblem => ({
  reason: 'HostChanged',
  message: `the Secret of spec.hostCluster.secretRef leads to another cluster (${server}) than the one with the control plane and its data: name that one again; if it is gone for good, annotate the Karmada with ${ABANDON_HOST_ANNOTATION}=true, and the control plane is made anew without its data`,
});

/** Karmadas with the same lane may hold each other up. */
export function laneOf(local: Local, key: string): string {
  const karmada = karmadaOf(local, key);
  const reference = karmada && hostReference(karmada);
  return reference === undefined ? '' : hostIdentity(reference);
}
