/** How etcd's StatefulSet that is there bears on the one that is wanted: pure. */
import { APPLIED_HASH } from '../../kubernetes/compare.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { wanted, type Desired, type DesiredObject } from '../desired.ts';
import type { Snapshot } from '../snapshot.ts';
import { EQUAL_REVISION, equalRevision, hasEqualTemplate, hashIn } from './membership.ts';
import { etcdWorkload } from './plan-etcd.ts';
import { settledRevision } from './stateful-set.ts';

/** The wish with what has to be carried over from the StatefulSet that is there. */
export function withPresentEtcd(
  desired: Desired,
  snapshot: Pick<Snapshot, 'karmada' | 'host' | 'etcdBirth'>,
): Desired {
  const live = etcdWorkload(snapshot);
  if (live === undefined) return desired;
  const isKept = snapshot.etcdBirth?.isKept === true;
  const objects = desired.objects.map((item) =>
    item.step === 'etcd' && item.object.kind === 'StatefulSet' ? present(item, live, isKept) : item,
  );
  return { ...desired, objects };
}

function present(item: DesiredObject, live: KubernetesObject, isKept: boolean): DesiredObject {
  const { object } = item;
  const isEqual = hasEqualTemplate(live, object);
  // Until its controller has seen the last change, nobody knows which pods are of it.
  const isUnsettled = settledRevision(live) === undefined && hashIn(live) === undefined;
  if (isKept || (isEqual && isUnsettled)) return kept(item, live, isEqual);
  const revision = equalRevision(live, object);
  if (revision === undefined) return item;
  const annotations = { ...object.metadata.annotations, [EQUAL_REVISION]: revision };
  const noted = { ...object, metadata: { ...object.metadata, annotations } };
  return wanted(item.place, item.step, noted);
}

/** One that would be changed in nothing that counts is as it is wanted. */
function kept(item: DesiredObject, live: KubernetesObject, isEqual: boolean): DesiredObject {
  const applied = live.metadata.annotations?.[APPLIED_HASH];
  return { ...item, untouched: true, ...(isEqual && applied !== undefined && { hash: applied }) };
}
