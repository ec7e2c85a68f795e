/** Labels of the objects that the operator makes for a Karmada, and whose an object is: pure. */
import type { KubernetesObject } from '../kubernetes/object.ts';
import { FIELD_MANAGER } from './karmada.ts';

export const MANAGED_BY = 'app.kubernetes.io/managed-by';
export const INSTANCE = 'app.kubernetes.io/instance';
export const COMPONENT = 'app.kubernetes.io/name';
export const MANAGER = 'karmada-operator';

/** Labels of an object that the operator makes for the Karmada of that name. @param component what the object belongs to */
export const instanceLabels = (
  name: string,
  component: string,
): Readonly<Record<string, string>> => ({
  [COMPONENT]: component,
  [INSTANCE]: name,
  [MANAGED_BY]: MANAGER,
});

/** Whether an object was made by this operator for the instance of that name. */
export function isOurs(object: KubernetesObject, instance: string): boolean {
  const labels = object.metadata.labels ?? {};
  return labels[MANAGED_BY] === MANAGER && labels[INSTANCE] === instance;
}

/**
 * Whether this operator applied a live object that somebody took labels from since: the API server notes who applies,
 * and a copy of an object does not inherit that. One that bears the name of another instance is that one's.
 */
export function wasApplied({ metadata }: KubernetesObject, instance: string): boolean {
  const bearer = metadata.labels?.[INSTANCE] ?? instance;
  return (
    bearer === instance &&
    (metadata.managedFields ?? []).some((entry) => {
      const { manager, operation, subresource = '' } = entry as ManagedFields;
      return manager === FIELD_MANAGER && operation === 'Apply' && subresource === '';
    })
  );
}

interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
}

/** A Secret of an instance, as this operator makes them. @param data base64 by key */
export function secretOf(
  { name: instance, namespace = '' }: { readonly name: string; readonly namespace?: string },
  name: string,
  data: Readonly<Record<string, string>>,
): KubernetesObject {
  const labels = instanceLabels(instance, 'karmada');
  const metadata = { name, namespace, labels };
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data };
}
