/** Adjusts the desired etcd StatefulSet to the live one: pure. */
import { APPLIED_HASH } from '../../kubernetes/objects/compare.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import {
  desiredObject,
  type DesiredObjects,
  type DesiredObject,
} from '../../instance/desired-objects.ts';
import { UNAPPLIED } from '../../components/rollout.ts';
import {
  EQUAL_REVISION,
  equalRevision,
  hasEqualTemplate,
  hashIn,
} from '../../etcd-cluster/pods/membership.ts';
import { etcdWorkload } from '../etcd-storage/plan-etcd.ts';
import { etcdAdoption, keptGoWorkload } from './adopt-etcd.ts';
import type { Cached } from './member-facts.ts';
import {
  claimsOf,
  hasOtherStorage,
  settledRevision,
  specOf,
} from '../../etcd-cluster/pods/stateful-set.ts';

/** Carries required state of the live StatefulSet over to the desired objects. */
export function keepRunningTemplate(desired: DesiredObjects, snapshot: Cached): DesiredObjects {
  const live = etcdWorkload(snapshot);
  if (live === undefined) return desired;
  const isKept = snapshot.etcdBootstrap?.isKept === true;
  const isAdopting = etcdAdoption(snapshot) !== undefined;
  const isGo = keptGoWorkload(snapshot) !== undefined;
  const adjusted = (item: DesiredObject): DesiredObject => {
    if (isGo) return { ...item, untouched: true, hash: UNAPPLIED };
    return present(isAdopting ? withRunningClaims(item, live) : item, live, isKept);
  };
  const objects = desired.objects.map((item) =>
    item.step === 'etcd' && item.object.kind === 'StatefulSet' ? adjusted(item) : item,
  );
  return { ...desired, objects };
}

/** Until an adopted etcd has taken its last step, the volumes do not change. Another kind of volume is blocked later. */
function withRunningClaims(item: DesiredObject, live: KubernetesObject): DesiredObject {
  const { cluster, step, object } = item;
  const [now, then] = [claimsOf(specOf(live)), claimsOf(specOf(object))];
  if (now.length !== then.length || !hasOtherStorage(live, object)) return item;
  const volumeClaimTemplates = now.map(({ metadata, spec }) => ({ metadata, spec }));
  return desiredObject(cluster, step, {
    ...object,
    spec: { ...specOf(object), volumeClaimTemplates },
  });
}

function present(item: DesiredObject, live: KubernetesObject, isKept: boolean): DesiredObject {
  const { object } = item;
  const isEqual = hasEqualTemplate(live, object);
  // Until its controller has observed the last change, the revision of the Pods is unknown.
  const isUnsettled = settledRevision(live) === undefined && hashIn(live) === undefined;
  if (isKept || (isEqual && isUnsettled)) return kept(item, live, isEqual);
  const revision = equalRevision(live, object);
  if (revision === undefined) return item;
  const annotations = { ...object.metadata.annotations, [EQUAL_REVISION]: revision };
  const noted = { ...object, metadata: { ...object.metadata, annotations } };
  return desiredObject(item.cluster, item.step, noted);
}

/** A StatefulSet that differs only in fields without effect counts as up to date. */
function kept(item: DesiredObject, live: KubernetesObject, isEqual: boolean): DesiredObject {
  const applied = live.metadata.annotations?.[APPLIED_HASH];
  return { ...item, untouched: true, ...(isEqual && applied !== undefined && { hash: applied }) };
}
