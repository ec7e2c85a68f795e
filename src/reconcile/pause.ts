/** Objects whose repair somebody has paused, to try something on them: pure. */
import { nameOf, type KubernetesObject } from '../kubernetes/object.ts';
import type { Finding } from './status/conditions.ts';
import type { DesiredObject } from './desired.ts';
import { isOurs } from '../api/labels.ts';
import type { Hold } from './hold.ts';
import { appliedState } from './rollout.ts';
import type { Snapshot } from './snapshot.ts';

/** On one object of an instance: while it is `true`, the operator neither repairs nor changes nor removes the object. */
export const PAUSE_REPAIR = 'operator.karmada.io/pause-repair';

/** Whether an object bears the annotation. */
export function isPaused({ metadata }: KubernetesObject): boolean {
  return metadata.annotations?.[PAUSE_REPAIR] === 'true';
}

/** Objects of an instance that bear it, in the host and inside the control plane. */
function pausedObjects({
  karmada,
  host,
  controlPlane,
}: Pick<Snapshot, 'karmada' | 'host' | 'controlPlane'>): readonly KubernetesObject[] {
  const { name } = karmada.metadata;
  const all = [...host.objects, ...controlPlane.objects];
  return all.filter((object) => isPaused(object) && isOurs(object, name));
}

/** The hold on an object that is to become another and is paused; undefined for one that is merely not repaired. */
export function pauseHold(target: DesiredObject, cached: KubernetesObject): Hold | undefined {
  const what = nameOf(target.object);
  if (appliedState(cached, target.hash, what).state === 'complete') return undefined;
  const message = `${what} is not changed to what the spec wants while its annotation ${PAUSE_REPAIR} is "true"; remove the annotation`;
  return { step: target.step, reason: 'RepairPaused', message, halts: true };
}

/** What the status says of them; nothing when there are none. */
export function pauseFindings(
  snapshot: Pick<Snapshot, 'karmada' | 'host' | 'controlPlane'>,
): readonly Finding[] {
  const names = pausedObjects(snapshot).map(nameOf).sort();
  if (names.length === 0) return [];
  const message = `${names.join(', ')}: not repaired while the annotation ${PAUSE_REPAIR} is "true"`;
  return [{ type: 'RepairPaused', status: 'True', reason: 'AnnotatedObjects', message }];
}
