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
import { isFromGo, type Cached } from './member-facts.ts';
import {
  claimsOf,
  hasOtherStorage,
  settledRevision,
  specOf,
  type ClaimTemplate,
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
    const claimed = isFromGo(snapshot) ? withPlainClaims(item, live) : item;
    return present(isAdopting ? withRunningClaims(claimed, live) : claimed, live, isKept);
  };
  const objects = desired.objects.map((item) =>
    item.step === 'etcd' && item.object.kind === 'StatefulSet' ? adjusted(item) : item,
  );
  return { ...desired, objects };
}

/** The Go operator ignores the metadata of the PVC template in the spec, and Kubernetes does not let it change later. */
function withPlainClaims(item: DesiredObject, live: KubernetesObject): DesiredObject {
  const [now, then] = [claimsOf(specOf(live)), claimsOf(specOf(item.object))];
  if (now.length !== then.length || !now.every(isPlain) || then.every(isPlain)) return item;
  const plain = then.map(({ metadata, ...claim }) => ({
    metadata: { name: metadata?.name ?? '' },
    ...claim,
  }));
  return withClaims(item, plain);
}

const isPlain = ({ metadata = {} }: ClaimTemplate): boolean =>
  [metadata.labels, metadata.annotations, metadata.finalizers].every(
    (values) => values === undefined || Object.keys(values).length === 0,
  );

/** Until an adopted etcd has taken its last step, the volumes do not change. Another kind of volume is blocked later. */
function withRunningClaims(item: DesiredObject, live: KubernetesObject): DesiredObject {
  const { object } = item;
  const [now, then] = [claimsOf(specOf(live)), claimsOf(specOf(object))];
  if (now.length !== then.length || !hasOtherStorage(live, object)) return item;
  return withClaims(
    item,
    now.map(({ metadata, spec }) => ({ metadata, spec })),
  );
}

const withClaims = (
  { cluster, step, object }: DesiredObject,
  volumeClaimTemplates: readonly object[],
): DesiredObject =>
  desiredObject(cluster, step, { ...object, spec: { ...specOf(object), volumeClaimTemplates } });

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
