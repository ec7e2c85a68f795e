/** Metadata of a Kubernetes object in raw JSON form. Timestamps are RFC 3339 strings. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Readonly<Record<string, string>>;
  annotations?: Readonly<Record<string, string>>;
  finalizers?: readonly string[];
  ownerReferences?: readonly OwnerReference[];
  managedFields?: readonly ManagedFieldsEntry[];
}

/** `metadata.managedFields[]` of meta/v1. */
export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
}

/** `metadata.ownerReferences[]` of meta/v1. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** Any Kubernetes object in raw JSON form. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** A status condition of any kind. */
export interface ObjectCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** API group of an `apiVersion`; empty for the core group. */
export const groupOf = (apiVersion: string): string =>
  apiVersion.slice(0, Math.max(apiVersion.indexOf('/'), 0));

/** Reduces metadata to name, UID and resource version. */
export const identifying = ({ name, uid, resourceVersion }: ObjectMeta): ObjectMeta => ({
  name,
  ...(uid !== undefined && { uid }),
  ...(resourceVersion !== undefined && { resourceVersion }),
});

/** Owner reference to an object. */
export const ownerReferenceTo = ({
  apiVersion,
  kind,
  metadata,
}: KubernetesObject): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid ?? '',
});

/** Group, kind, namespace and name as one text. The API version does not count. */
export function identity(
  object: Pick<KubernetesObject, 'apiVersion' | 'kind' | 'metadata'>,
): string {
  const { namespace = '', name } = object.metadata;
  return `${groupOf(object.apiVersion)}/${object.kind}/${namespace}/${name}`;
}

/** Whether an object is terminating. */
export const isTerminating = ({ metadata }: Pick<KubernetesObject, 'metadata'>): boolean =>
  metadata.deletionTimestamp !== undefined;

/** Objects that are not terminating yet. */
export const pending = (objects: readonly KubernetesObject[]): readonly KubernetesObject[] =>
  objects.filter((object) => !isTerminating(object));

/** Kind, namespace and name for messages, such as `Deployment team/demo-etcd`. */
export function nameOf(object: Pick<KubernetesObject, 'kind' | 'metadata'>): string {
  const { namespace, name } = object.metadata;
  return `${object.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

/** Map of objects by their identity. */
export function byIdentity(
  objects: readonly KubernetesObject[],
): ReadonlyMap<string, KubernetesObject> {
  return new Map(objects.map((object) => [identity(object), object]));
}

interface Conditioned extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly ObjectCondition[] };
}

/** Condition with the given type in the status of an object; undefined if it is not set. */
export function conditionOf({ status }: Conditioned, type: string): ObjectCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** Whether an object is in no Namespace, or in one of these. @param objects objects of its cluster */
export const hasNamespace = (
  { metadata: { namespace } }: Pick<KubernetesObject, 'metadata'>,
  objects: readonly KubernetesObject[],
): boolean =>
  namespace === undefined ||
  objects.some(({ kind, metadata }) => kind === 'Namespace' && metadata.name === namespace);
