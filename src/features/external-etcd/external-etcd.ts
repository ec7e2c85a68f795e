/**
 * Effects of an external etcd on a control plane: pure. The operator installs the control plane only after this etcd
 * is healthy with the given Secret. Later failures of the health check are only reported. Changed connection settings
 * reach the API servers after a successful health check.
 */
import type { Problem } from '../../api/reasons/problem.ts';
import { ETCD_TRUST_ANNOTATION } from '../../components/values.ts';
import { isWorkload } from '../../components/workload.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { isBegun } from '../../instance/begun.ts';
import { apiServerIn } from './etcd-in-use.ts';
import { newDataProblem } from './external-data.ts';

type Seen = Pick<Snapshot, 'karmada' | 'host' | 'externalEtcd'>;

/** Message before the first health check of an external etcd. */
export const ETCD_PENDING = 'external etcd: health check in progress';

/** Reason why the operator does not start the installation; `pending`: the first health check is in progress. */
export type Obstacle = 'pending' | Problem;

/** Returns what blocks the start of the installation; undefined if it has started, or may start. */
export function obstacleOf(seen: Seen): Obstacle | undefined {
  const { externalEtcd: etcd } = seen;
  if (etcd === undefined || isBegun(seen)) return undefined;
  if (etcd.older !== undefined) return sharedBy(etcd.older);
  if (etcd.check === undefined) return 'pending';
  if (etcd.check.outcome !== 'served') return etcd.check.problem;
  return newDataProblem(seen) ?? etcd.copyProblem;
}

/** Returns an error that requires user action, for a new or an existing control plane. */
export function etcdProblem(seen: Seen): Problem | undefined {
  const obstacle = obstacleOf(seen);
  if (obstacle !== undefined) return obstacle === 'pending' ? undefined : obstacle;
  const { check, copyProblem } = seen.externalEtcd ?? {};
  return copyProblem ?? (check?.outcome === 'unusable' ? check.problem : undefined);
}

/** Error for a key prefix that a Karmada created earlier already uses. */
export function sharedBy(older: string): Problem {
  return {
    reason: 'EtcdShared',
    message: `spec.components.etcd.external: Karmada ${older} uses the same etcd with the same key prefix, and both would overwrite each other's data; set extraArgs.etcd-prefix of karmadaAPIServer, karmadaAggregatedAPIServer and karmadaSearch to a different prefix`,
  };
}

/**
 * Hash of the etcd CA certificates that API servers trust; part of their Pod templates. Keeps the live value while
 * the Secret cannot be read, so that a read error restarts no Pod.
 */
export function trustOf({ externalEtcd: etcd, host }: Seen): string | undefined {
  if (etcd === undefined) return undefined;
  if (etcd.check !== undefined && 'access' in etcd.check) return etcd.check.access.trust;
  const server = apiServerIn(host.objects);
  return server && trustIn(server);
}

/** Hash of the etcd CA certificates in the Pod template of a workload. */
export function trustIn(workload: KubernetesObject): string | undefined {
  if (!isWorkload(workload)) return undefined;
  return workload.spec.template.metadata.annotations?.[ETCD_TRUST_ANNOTATION];
}
