/** Resolves the cluster that runs the control plane of a Karmada. */
import type { Problem } from '../../api/reasons/problem.ts';
import type { Flow } from '../../kubernetes/fairness/fair-order.ts';
import type { Karmada } from '../../api/karmada.ts';
import type { SecretRefusal } from '../../api/secrets/secret-grant.ts';
import type { HostUser } from '../../host-clusters/host-user.ts';
import {
  hostIdentity,
  hostReference,
  isHostInUse,
  type HostReference,
} from '../../host-clusters/host-reference.ts';
import type { RemoteHost } from '../../host-clusters/remote-host.ts';
import type { HostLimits } from '../../host-clusters/host-limits.ts';
import type { RemoteHosts } from '../../host-clusters/remote-hosts.ts';
import { isInstalledIn } from '../../host-clusters/host-namespace.ts';
import { hostNamespaceRefusal } from '../../host-clusters/namespace-access.ts';
import { hostChange } from './immutable-fields.ts';
import { namespaceProblem } from '../status/watch-states.ts';
import { abandonCommand, isAbandoned, isElsewhere } from './abandon-host.ts';
import {
  clusterUid,
  karmadaOf,
  type Host,
  type ManagementCluster,
} from '../../host-clusters/host.ts';

export interface HostResolutionTools {
  readonly local: ManagementCluster;
  readonly hosts: Pick<RemoteHosts, 'of' | 'leave'>;
  readonly hostLimits: Pick<HostLimits, 'problemOf'>;
}

/**
 * The resolved host cluster, or why the operator cannot use it now: `unread` until its first check has ended. A change
 * of the result causes another reconcile.
 */
export type HostResolution =
  | { readonly host: Host; readonly secretWarning?: SecretRefusal }
  | { readonly problem: Problem }
  | { readonly unread: Problem };

const UNREAD: Problem = {
  reason: 'Progressing',
  message: 'spec.hostCluster.secretRef: the operator is checking the host cluster',
};

/**
 * Resolves the host cluster of a Karmada from known state, without waiting.
 * @param key `namespace/name` of the Karmada
 */
export function resolveHost(
  { local, hosts, hostLimits }: HostResolutionTools,
  key: string,
  karmada: Karmada,
): HostResolution {
  const reference = hostReference(karmada);
  const obstacle = obstacleTo(hostLimits, karmada, reference);
  if (reference === undefined || obstacle !== undefined) hosts.leave(key);
  if (obstacle !== undefined) return { problem: obstacle };
  if (reference === undefined) return { host: local };
  const view = hosts.of(key, reference, userOf(karmada, reference));
  if (view.state === 'unread') return { unread: UNREAD };
  if (view.state === 'unreached') return { problem: view.problem };
  const { host, warning } = view;
  const incomplete = incompleteCaches(host, karmada);
  if (incomplete !== undefined) return incomplete;
  const problem = obstacleOn(host, local, { karmada, reference });
  if (problem !== undefined) return { problem };
  return { host, ...(warning && { secretWarning: warning }) };
}

/** Why the operator does not connect to the host cluster of a Karmada; undefined if it does. */
const obstacleTo = (
  hostLimits: HostResolutionTools['hostLimits'],
  karmada: Karmada,
  reference: HostReference | undefined,
): Problem | undefined =>
  hostChange(karmada, reference !== undefined) ?? hostLimits.problemOf(karmada);

/** Why a Karmada cannot use a reached host cluster; undefined if it can. */
function obstacleOn(
  host: RemoteHost,
  local: ManagementCluster,
  { karmada, reference }: { readonly karmada: Karmada; readonly reference: HostReference },
): Problem | undefined {
  const uid = clusterUid(host);
  if (isDifferentHostCluster(karmada, uid))
    return differentHostCluster(karmada, host.remote.server);
  return isInstalledIn(karmada, reference, uid)
    ? undefined
    : hostNamespaceRefusal(host, local, karmada);
}

/** Why the caches of the host cluster lack objects of the namespace; undefined if they do not. */
function incompleteCaches(
  { quota }: Pick<Host, 'quota'>,
  { metadata: { namespace = '' } }: Karmada,
): HostResolution | undefined {
  const excess = namespaceProblem(quota, namespace);
  if (excess !== undefined) return { problem: { ...excess, reason: 'HostLimitExceeded' } };
  return quota.isComplete(namespace) ? undefined : { unread: UNREAD };
}

/** The user of a host Secret. */
function userOf({ metadata, status = {} }: Karmada, reference: HostReference): HostUser {
  const { name, namespace = '' } = metadata;
  return { karmada: { name, namespace }, inUse: isHostInUse(status, reference) };
}

/**
 * Whether the control plane runs in another cluster that its owner has not declared lost.
 * @param uid uid of the kube-system Namespace of the cluster that the Secret points to
 */
export function isDifferentHostCluster(karmada: Karmada, uid: string | undefined): boolean {
  const { hostUID } = karmada.status ?? {};
  return isElsewhere(hostUID, uid) && !isAbandoned(karmada, hostUID);
}

/** The Secret points to another cluster than the one that runs the control plane. @param server its URL */
export const differentHostCluster = (karmada: Karmada, server: string): Problem => ({
  reason: 'HostChanged',
  message: `spec.hostCluster.secretRef: the Secret points to a different cluster (${server}) than the one that runs this control plane; reference the original cluster again. If that cluster is permanently lost, run ${abandonCommand(karmada, karmada.status?.hostUID)}; the operator then creates a new control plane without the old data`,
});

/**
 * Returns the share of an object in the work queue: of its namespace, then of its host cluster.
 * @param key `namespace/name` of a Karmada, or the key of another kind, as `KIND:namespace/name`
 */
export function flowOf(local: ManagementCluster, key: string): Flow {
  const karmada = karmadaOf(local, key);
  const reference = karmada && hostReference(karmada);
  const [group = ''] = key.slice(key.indexOf(':') + 1).split('/');
  return { group, tenant: reference === undefined ? '' : hostIdentity(reference) };
}
