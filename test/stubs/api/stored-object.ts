/** What a request may change of a stored object, and what counts as a change. Pure functions. */
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { isEqual, omit, type Json } from './json.ts';
import type { ServedType } from './kinds.ts';

/** The live object with what the request may change: all but the status, or only the status. */
export function writable(
  { hasStatus }: ServedType,
  live: KubernetesObject,
  body: KubernetesObject,
  subresource: string | undefined,
): KubernetesObject {
  if (subresource === 'status' || subresource === 'approval')
    return withStatus(live, body['status']);
  const { apiVersion, kind } = live;
  const { uid, creationTimestamp, deletionTimestamp, resourceVersion } = live.metadata;
  const system = { uid, creationTimestamp, resourceVersion };
  const metadata = {
    ...body.metadata,
    ...system,
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  } as KubernetesObject['metadata'];
  const object = { ...body, apiVersion, kind, metadata };
  return hasStatus
    ? withStatus({ ...omit(object, 'status'), apiVersion, kind, metadata }, live['status'])
    : object;
}

const withStatus = (object: KubernetesObject, status: unknown): KubernetesObject =>
  status === undefined ? object : { ...object, status };

/** The parts of an object whose change is a write. */
const stable = (object: KubernetesObject): Json => ({
  ...object,
  metadata: omit(object.metadata, 'managedFields', 'resourceVersion'),
});

export const isUnchanged = (live: KubernetesObject, body: KubernetesObject): boolean =>
  isEqual(stable(body), stable(live)) &&
  isEqual(body.metadata.managedFields, live.metadata.managedFields);

/** The object with the next generation if its spec changes. */
export function numbered(
  { kind, hasStatus }: ServedType,
  live: KubernetesObject,
  body: KubernetesObject,
): KubernetesObject {
  const specOf = (object: KubernetesObject): Json =>
    hasStatus && kind !== 'Pod' ? omit(object, 'metadata', 'status') : {};
  const { generation = 0 } = live.metadata;
  const next = generation + (isEqual(specOf(body), specOf(live)) ? 0 : 1);
  return { ...body, metadata: { ...body.metadata, generation: next } };
}
