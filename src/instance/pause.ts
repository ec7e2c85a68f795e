/** Objects whose repair a user has paused by annotation, for example to try a change on them: pure. */
import type { Problem } from '../api/reasons/problem.ts';
import { nameOf, type KubernetesObject } from '../kubernetes/objects/object.ts';
import type { ConditionDraft } from '../conditions/conditions.ts';
import type { DesiredObject } from './desired-objects.ts';
import { isOurs } from '../api/labels.ts';
import type { BlockedChange } from './blocked-change.ts';
import { isOwnClaim } from '../etcd-cluster/storage/persistent-volume-claims.ts';
import { appliedState } from '../components/rollout.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Annotation on one object of a control plane. While it is `true`, the operator does not repair, change or delete the
 * object.
 */
export const PAUSE_REPAIR = 'operator.karmada.io/pause-repair';

/** Whether the annotation on an object is `true`. */
export function isPaused({ metadata }: KubernetesObject): boolean {
  return metadata.annotations?.[PAUSE_REPAIR] === 'true';
}

type Paused = Pick<Snapshot, 'karmada' | 'host' | 'controlPlane' | 'remote'>;

/**
 * Names of the annotated objects of a control plane: in the host cluster, in the Karmada API, and next to the Karmada
 * of a remote host cluster.
 */
function pausedNames({ karmada, host, controlPlane, remote }: Paused): readonly string[] {
  const { name } = karmada.metadata;
  const owned = [...host.objects, ...controlPlane.objects].filter((item) => isOurs(item, name));
  const claims = host.claims.filter((claim) => isOwnClaim(claim, name));
  const copies = remote?.kubeconfig === undefined ? [] : [remote.kubeconfig];
  return [
    ...[...owned, ...claims].filter(isPaused).map(nameOf),
    // On the host cluster, the original has the same name and namespace.
    ...copies.filter(isPaused).map((copy) => `${nameOf(copy)} (management cluster)`),
  ].sort();
}

/**
 * Returns the blocked change of an annotated object.
 * @returns undefined if the object matches the current desired state, so that only its repair is paused
 */
export function blockedByPause(
  target: DesiredObject,
  cached: KubernetesObject,
): BlockedChange | undefined {
  const what = nameOf(target.object);
  if (appliedState(cached, target.hash, what).state === 'complete') return undefined;
  const message = `${what}: update blocked by its annotation ${PAUSE_REPAIR}=true; remove the annotation`;
  return { step: target.step, reason: 'RepairPaused', message, blocksLaterStages: true };
}

/** Returns why the operator does not write an annotated object. */
export function pausedWrite(target: DesiredObject, cached: KubernetesObject): Problem {
  const what = nameOf(target.object);
  const { reason, message } = blockedByPause(target, cached) ?? {
    reason: 'RepairPaused',
    message: `${what}: repair paused by its annotation ${PAUSE_REPAIR}=true; remove the annotation`,
  };
  return { reason, message };
}

/** Returns the RepairPaused condition; an empty list if no object is annotated. */
export function pauseConditions(snapshot: Paused): readonly ConditionDraft[] {
  const names = pausedNames(snapshot);
  if (names.length === 0) return [];
  const message = `${names.join(', ')}: not repaired, because of the annotation ${PAUSE_REPAIR}=true; remove it to resume`;
  return [{ type: 'RepairPaused', status: 'True', reason: 'AnnotatedObjects', message }];
}
