/** Raw objects as this folder looks at them: whose they are, which they are, and their conditions. */
import { FIELD_MANAGER } from '../api/karmada.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';

export const MANAGED_BY = 'app.kubernetes.io/managed-by';
export const INSTANCE = 'app.kubernetes.io/instance';
export const COMPONENT = 'app.kubernetes.io/name';
export const MANAGER = 'karmada-operator';

/** A condition of any kind of object. */
export interface ObjectCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** Group, kind, namespace and name as one text: the same object in another version is the same. */
export function identity(
  object: Pick<KubernetesObject, 'apiVersion' | 'kind' | 'metadata'>,
): string {
  const group = object.apiVersion.includes('/') ? object.apiVersion.split('/')[0] : '';
  const { namespace = '', name } = object.metadata;
  return `${group}/${object.kind}/${namespace}/${name}`;
}

/** Whether an object is being deleted. */
export const isEnding = ({ metadata }: Pick<KubernetesObject, 'metadata'>): boolean =>
  metadata.deletionTimestamp !== undefined;

/** Objects that are still to be deleted. */
export const pending = (objects: readonly KubernetesObject[]): readonly KubernetesObject[] =>
  objects.filter((object) => !isEnding(object));

/** `Deployment team/demo-etcd`, for messages. */
export function nameOf(object: Pick<KubernetesObject, 'kind' | 'metadata'>): string {
  const { namespace, name } = object.metadata;
  return `${object.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

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
  const labels = { [MANAGED_BY]: MANAGER, [INSTANCE]: instance, [COMPONENT]: 'karmada' };
  const metadata = { name, namespace, labels };
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data };
}

/** Objects by their identity. */
export function byIdentity(
  objects: readonly KubernetesObject[],
): ReadonlyMap<string, KubernetesObject> {
  return new Map(objects.map((object) => [identity(object), object]));
}

/** A condition in the status of an object. */
export function conditionOf(object: KubernetesObject, type: string): ObjectCondition | undefined {
  const status = object['status'] as { conditions?: readonly ObjectCondition[] } | undefined;
  return status?.conditions?.find((condition) => condition.type === type);
}
