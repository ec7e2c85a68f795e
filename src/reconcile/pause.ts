/** Objects whose repair a user has paused by annotation, for example to try a change on them: pure. */
import { nameOf, type KubernetesObject } from '../kubernetes/object.ts';
import type { ConditionDraft } from './status/conditions.ts';
import type { DesiredObject } from './desired-objects.ts';
import { isOurs } from '../api/labels.ts';
import type { BlockedChange } from './blocked-change.ts';
import { appliedState } from './rollout.ts';
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

/** Annotated objects of a control plane, in the host cluster and in the Karmada API. */
function pausedObjects({
  karmada,
  host,
  controlPlane,
}: Pick<Snapshot, 'karmada' | 'host' | 'controlPlane'>): readonly KubernetesObject[] {
  const { name } = karmada.metadata;
  const all = [...host.objects, ...controlPlane.objects];
  return all.filter((object) => isPaused(object) && isOurs(object, name));
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

/** Returns the RepairPaused condition; an empty list if no object is annotated. */
export function pauseConditions(
  snapshot: Pick<Snapshot, 'karmada' | 'host' | 'controlPlane'>,
): readonly ConditionDraft[] {
  const names = pausedObjects(snapshot).map(nameOf).sort();
  if (names.length === 0) return [];
  const message = `${names.join(', ')}: not repaired, because of the annotation ${PAUSE_REPAIR}=true; remove it to resume`;
  return [{ type: 'RepairPaused', status: 'True', reason: 'AnnotatedObjects', message }];
}
