/** Metadata of a Kubernetes object as it appears in raw JSON (timestamps are RFC 3339 strings). */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Readonly<Record<string, string>>;
  annotations?: Readonly<Record<string, string>>;
  finalizers?: readonly string[];
  ownerReferences?: readonly OwnerReference[];
  managedFields?: readonly unknown[];
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

/** Any Kubernetes object in raw JSON form: what is rendered, applied, listed and watched. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}
