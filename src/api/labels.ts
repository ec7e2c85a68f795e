/** Labels of the objects of a control plane, and detection of object ownership (pure functions). */
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { FIELD_MANAGER } from './karmada.ts';

export const MANAGED_BY = 'app.kubernetes.io/managed-by';
export const INSTANCE = 'app.kubernetes.io/instance';
export const COMPONENT = 'app.kubernetes.io/name';
export const MANAGER = 'karmada-operator';

/** Values of `COMPONENT` for Pods that the operator creates itself. */
export const BACKUP_PODS = 'karmada-backup';
export const RECOVERY_PODS = 'etcd-recovery';

/** Returns the labels of an object of a control plane. @param component value of `app.kubernetes.io/name` */
export const instanceLabels = (
  name: string,
  component: string,
): Readonly<Record<string, string>> => ({
  [COMPONENT]: component,
  [INSTANCE]: name,
  [MANAGED_BY]: MANAGER,
});

/**
 * Whether the labels of an object show that this operator created it for the Karmada of that name. A
 * PodDisruptionBudget has the labels of its Pods, so its workload or the field manager show that.
 */
export function isOurs(object: KubernetesObject, instance: string): boolean {
  const labels = object.metadata.labels ?? {};
  if (labels[INSTANCE] !== instance) return false;
  return labels[MANAGED_BY] === MANAGER || (isBudget(object) && isOfWorkload(object, instance));
}

const isBudget = ({ kind }: KubernetesObject): boolean => kind === 'PodDisruptionBudget';

const isOfWorkload = (budget: KubernetesObject, instance: string): boolean =>
  hasWorkload(budget) || wasApplied(budget, instance);

/** Whether the controller of a PodDisruptionBudget is the workload with its name. */
const hasWorkload = ({ metadata: { name, ownerReferences = [] } }: KubernetesObject): boolean =>
  ownerReferences.some(
    (owner) =>
      owner.controller === true &&
      owner.name === name &&
      (owner.kind === 'Deployment' || owner.kind === 'StatefulSet'),
  );

/** Field of a cached object that this operator applied. Caches do not keep managed fields. */
const APPLIED = 'applied';

/** Cache transform that marks an object with the instance label as applied by this operator: pure. */
export const markApplied = <T extends KubernetesObject>(object: T): T =>
  wasApplied(object, object.metadata.labels?.[INSTANCE] ?? '')
    ? { ...object, [APPLIED]: true }
    : object;

/**
 * Whether an object has the labels of the operator, but no Karmada. The Go operator labels Secrets and the Service of
 * karmada-metrics-adapter so.
 */
export function isUnclaimed({ metadata }: Pick<KubernetesObject, 'metadata'>): boolean {
  const { labels = {}, deletionTimestamp } = metadata;
  return (
    deletionTimestamp === undefined &&
    labels[MANAGED_BY] === MANAGER &&
    labels[INSTANCE] === undefined
  );
}

/**
 * Whether an operator created a live object without an apply: the Go operator, whose objects in the Karmada API have no label of
 * their own, or this one, whose object has lost its labels. Both have the same field manager, which the API server records and which
 * a copy of an object does not inherit.
 */
export const wasCreated = (object: KubernetesObject, instance: string): boolean =>
  isOfNoOther(object, instance) && isWrittenBy(object, 'Update');

/**
 * Whether this operator applied a live object that may have lost its owner labels. Evidence is the field manager, as for
 * `wasCreated`. An object with the instance label of another Karmada does not match.
 */
export const wasApplied = (object: KubernetesObject, instance: string): boolean =>
  isOfNoOther(object, instance) && (object[APPLIED] === true || isWrittenBy(object, 'Apply'));

const isOfNoOther = ({ metadata }: KubernetesObject, instance: string): boolean =>
  (metadata.labels?.[INSTANCE] ?? instance) === instance;

const isWrittenBy = ({ metadata }: KubernetesObject, by: 'Apply' | 'Update'): boolean =>
  (metadata.managedFields ?? []).some((entry) => {
    const { manager, operation, subresource = '' } = entry;
    return manager === FIELD_MANAGER && operation === by && subresource === '';
  });

/** Creates a Secret object of a control plane. @param data base64 values by key */
export function secretOf(
  { name: instance, namespace = '' }: { readonly name: string; readonly namespace?: string },
  name: string,
  data: Readonly<Record<string, string>>,
): KubernetesObject {
  const labels = instanceLabels(instance, 'karmada');
  const metadata = { name, namespace, labels };
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data };
}
