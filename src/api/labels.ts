/** Labels of the objects of a control plane, and detection of object ownership (pure functions). */
import type { KubernetesObject } from '../kubernetes/object.ts';
import { FIELD_MANAGER } from './karmada.ts';

export const MANAGED_BY = 'app.kubernetes.io/managed-by';
export const INSTANCE = 'app.kubernetes.io/instance';
export const COMPONENT = 'app.kubernetes.io/name';
export const MANAGER = 'karmada-operator';

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
export const markApplied = (object: KubernetesObject): KubernetesObject =>
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
 * Whether the Go operator wrote an object in the Karmada API, where it sets no label of its own. Evidence is the field
 * manager: a copy does not inherit it.
 */
export const isOfGoOperator = (object: KubernetesObject, instance: string): boolean =>
  isWrittenBy(object, instance, 'Update');

/**
 * Whether this operator created a live object, without an apply, that may have lost its owner labels. Only for names that the
 * Go operator does not use: it has the same field manager.
 */
export const wasCreated = (object: KubernetesObject, instance: string): boolean =>
  isWrittenBy(object, instance, 'Update');

/** Whether the field manager of the operators wrote an object that is not of another Karmada. */
function isWrittenBy(
  { metadata }: KubernetesObject,
  instance: string,
  operation: 'Apply' | 'Update',
): boolean {
  const bearer = metadata.labels?.[INSTANCE] ?? instance;
  return (
    bearer === instance &&
    (metadata.managedFields ?? []).some((entry) => {
      const { manager, operation: how, subresource = '' } = entry as ManagedFields;
      return manager === FIELD_MANAGER && how === operation && subresource === '';
    })
  );
}

/**
 * Whether this operator applied a live object that may have lost its owner labels. Evidence is the field manager, which
 * the API server records and which a copy of an object does not inherit. An object with the instance label of another
 * Karmada does not match.
 */
export function wasApplied(object: KubernetesObject, instance: string): boolean {
  const bearer = object.metadata.labels?.[INSTANCE] ?? instance;
  if (bearer !== instance) return false;
  return object[APPLIED] === true || isWrittenBy(object, instance, 'Apply');
}

interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
}

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
