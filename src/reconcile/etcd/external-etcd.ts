/**
 * What an external etcd means for an instance: pure. Nothing is made before it serves whoever comes with the Secret.
 * Once an instance is there, a look at its etcd that fails takes nothing away from it: it is told, and other settings of
 * the access reach the API servers only when they were seen to work.
 */
import type { Problem } from '../../api/problem.ts';
import { ETCD_TRUST_ANNOTATION } from '../../components/values.ts';
import { isWorkload } from '../../components/workload.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { COMPONENT } from '../../api/labels.ts';
import type { Snapshot } from '../snapshot.ts';

type Seen = Pick<Snapshot, 'karmada' | 'host' | 'externalEtcd'>;

/** Said of an external etcd that nobody has looked at yet. */
export const ETCD_PENDING = 'the external etcd is being asked how it is';

/** Whether anything of the instance is there that is not just a Secret, or was once. */
export function isBegun({ karmada, host }: Pick<Seen, 'karmada' | 'host'>): boolean {
  return (
    karmada.status?.secretRef !== undefined || host.objects.some(({ kind }) => kind !== 'Secret')
  );
}

/** Why nothing is made of a new instance; `pending`: its etcd is being asked. */
export type Obstacle = 'pending' | Problem;

/** What keeps an instance from being begun; undefined when it is begun, or may be. */
export function obstacleOf(seen: Seen): Obstacle | undefined {
  const { externalEtcd: etcd } = seen;
  if (etcd === undefined || isBegun(seen)) return undefined;
  if (etcd.elder !== undefined) return sharedBy(etcd.elder);
  if (etcd.check === undefined) return 'pending';
  return etcd.check.outcome === 'served' ? etcd.copyProblem : etcd.check.problem;
}

/** What the user has to do something about, be the instance new or not. */
export function etcdProblem(seen: Seen): Problem | undefined {
  const obstacle = obstacleOf(seen);
  if (obstacle !== undefined) return obstacle === 'pending' ? undefined : obstacle;
  const { check, copyProblem } = seen.externalEtcd ?? {};
  return copyProblem ?? (check?.outcome === 'unusable' ? check.problem : undefined);
}

/** An older instance has these keys already. */
export function sharedBy(elder: string): Problem {
  return {
    reason: 'EtcdShared',
    message: `spec.components.etcd.external: Karmada ${elder} keeps its data in the same etcd under the same keys, and each would overwrite the other's; set extraArgs.etcd-prefix of karmadaAPIServer, karmadaAggregatedAPIServer and karmadaSearch to another prefix than there`,
  };
}

/**
 * Hash over the certificates that API servers trust in their etcd, for their pod templates. While it is not known it
 * stays what it is: a Secret that cannot be read is no reason to restart anything.
 */
export function trustOf({ externalEtcd: etcd, host }: Seen): string | undefined {
  if (etcd === undefined) return undefined;
  if (etcd.check !== undefined && 'access' in etcd.check) return etcd.check.access.trust;
  const server = host.objects.find(
    ({ kind, metadata }) =>
      kind === 'Deployment' && metadata.labels?.[COMPONENT] === 'karmada-apiserver',
  );
  return server && trustIn(server);
}

/** Hash over the certificates that a workload was told to trust in its etcd. */
export function trustIn(workload: KubernetesObject): string | undefined {
  if (!isWorkload(workload)) return undefined;
  return workload.spec.template.metadata.annotations?.[ETCD_TRUST_ANNOTATION];
}
