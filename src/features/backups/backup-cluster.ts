/** Cluster in which the Pods of a backup run: that of the control plane. */
import { newerOperatorProblem } from '../../api/features.ts';
import type { Karmada } from '../../api/karmada.ts';
import type { Problem } from '../../api/reasons/problem.ts';
import type { CacheQuota } from '../../kubernetes/informers/cache-quota/cache-quota.ts';
import { keyOf, keyText } from '../../kubernetes/objects/resources.ts';
import { resolveHost, type HostResolutionTools } from '../remote-host/host-resolution.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { InstanceCaches } from '../../instance/instance-cache.ts';
import type { FindControlPlane } from './member-comparisons.ts';

/** Calls that backups need. */
export type BackupClient = Pick<KubernetesClient, 'find' | 'list' | 'create' | 'patch' | 'delete'>;

export interface BackupCluster {
  readonly client: BackupClient;
  /** Whether it is another cluster than that of the KarmadaBackup, whose garbage collector knows no owner of the Pod. */
  readonly isRemote: boolean;
}

/** Finds the cluster of a control plane, or why the operator cannot use it now. It does not wait. */
export type FindBackupCluster = (karmada: Karmada) => BackupCluster | Problem;

/** Finds where control planes run, and how to reach them. */
export interface HostedControlPlanes {
  readonly clusterOf: FindBackupCluster;
  readonly controlPlaneOf: FindControlPlane;
  /** Limits of each namespace in the caches of the management cluster. */
  readonly quota: CacheQuota;
}

/** Finds the clusters of control planes among those that the operator knows. */
function clustersIn(tools: HostResolutionTools): FindBackupCluster {
  return (karmada) => {
    const newer = newerOperatorProblem(karmada);
    if (newer !== undefined) return newer;
    const found = resolveHost(tools, keyText(keyOf(karmada)), karmada);
    if ('problem' in found) return found.problem;
    if ('unread' in found) return found.unread;
    const { client, remote } = found.host;
    return { client, isRemote: remote !== undefined };
  };
}

/** Finds all control planes that the operator knows. */
export const hostedControlPlanes = (
  tools: HostResolutionTools & { readonly instances: Pick<InstanceCaches, 'peek'> },
): HostedControlPlanes => ({
  clusterOf: clustersIn(tools),
  controlPlaneOf: (key) => tools.instances.peek(key)?.controlPlane,
  quota: tools.local.quota,
});
