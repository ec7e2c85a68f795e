/** The first rollout of a Deployment of the Go operator: pure. */
import type { V1Affinity } from '@kubernetes/client-node';
import { isWorkload, type Workload } from '../../components/workload.ts';
import { APPLIED_HASH } from '../../kubernetes/compare.ts';
import { byIdentity, type KubernetesObject } from '../../kubernetes/object.ts';
import { desiredObject, type DesiredObject, type DesiredObjects } from '../desired-objects.ts';
import { isRolledOut } from '../rollout.ts';
import type { Snapshot } from '../snapshot.ts';

/**
 * Deletes the Pods of kube-controller-manager before it creates new ones, in the first rollout after an adoption. The
 * Go operator gives them a required Pod anti-affinity, which the scheduler applies to new Pods too: a surge would need
 * another node. With maxSurge 0 the new Pod exists before the old one is gone, and the scheduler tries a Pod again only
 * minutes after such a failure. The component elects a leader and serves no clients.
 */
export function withFirstRollout(
  desired: DesiredObjects,
  { host }: Pick<Snapshot, 'host'>,
): DesiredObjects {
  const live = byIdentity(host.objects);
  const objects = desired.objects.map((item) => {
    const present = item.step === 'kube-controller-manager' ? live.get(item.id) : undefined;
    return present !== undefined && leavesFirst(present) ? recreated(item) : item;
  });
  return { ...desired, objects };
}

interface Strategy {
  readonly type?: string;
}

/** Whether old Pods exclude new ones from their nodes, or the rollout that deletes them first is not complete. */
function leavesFirst(live: KubernetesObject): boolean {
  if (!isWorkload(live) || live.kind !== 'Deployment') return false;
  if (live.metadata.annotations?.[APPLIED_HASH] === undefined) return hasRequiredAntiAffinity(live);
  const { strategy } = live.spec as { strategy?: Strategy };
  return strategy?.type === RECREATE.type && !isRolledOut(live);
}

function hasRequiredAntiAffinity({ spec }: Workload): boolean {
  const { affinity } = spec.template.spec as { affinity?: V1Affinity };
  const rules = affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  return rules.length > 0;
}

const RECREATE = { type: 'Recreate' };

function recreated({ cluster, step, object }: DesiredObject): DesiredObject {
  const spec = object['spec'] as object;
  return desiredObject(cluster, step, { ...object, spec: { ...spec, strategy: RECREATE } });
}
