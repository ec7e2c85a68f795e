/** Preconditions of server-side apply, which the API server checks in the transaction that stores the object. */
import type { KubernetesObject } from '../objects/object.ts';

/** The first revision of etcd, in which it is empty, so no object has this version. */
const NO_VERSION = '1';

/**
 * Adds a version that no object has. The API server creates the object, and rejects the apply with 409 if one with this name exists,
 * whoever created it. A create (POST) has the same precondition, but its fields would belong to an update, so a later apply would
 * not remove those that the intent no longer contains.
 */
export const ifAbsent = (object: KubernetesObject): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: NO_VERSION },
});

/** Adds the uid, so that the API server rejects the write if the object was recreated in the meantime. */
export const ifSame = (object: KubernetesObject, uid: string | undefined): KubernetesObject =>
  uid === undefined ? object : { ...object, metadata: { ...object.metadata, uid } };
