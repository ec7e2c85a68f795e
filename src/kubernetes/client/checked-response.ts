/** Checks the shape of parsed responses of API servers, which may be any server: metadata, and what the kind declares. */
import { isObject, type Json } from '../objects/compare.ts';
import { NetworkError, toApiError } from './errors.ts';
import type { KubernetesObject } from '../objects/object.ts';
import { describe, keyOf, type ResourceType } from '../objects/resources.ts';
import { fieldFault } from '../shapes/kinds.ts';
import { metadataShape } from '../shapes/metadata.ts';

const isText = (value: unknown): boolean => value === undefined || typeof value === 'string';

function isKubernetesObject<T extends KubernetesObject>(value: unknown): value is T {
  if (!isObject(value) || !isObject(value['metadata'])) return false;
  const { apiVersion, kind } = value;
  return [apiVersion, kind].every(isText) && metadataShape(value['metadata']) === undefined;
}

const isNamed = <T extends KubernetesObject>(value: unknown): value is T =>
  isKubernetesObject(value) && typeof value.metadata.name === 'string';

const malformed = (request: string, what: string): NetworkError =>
  new NetworkError(request, 'MALFORMED', `the response of the API server is not ${what}`);

/** Returns the object of a response. @throws NetworkError when it is none */
export function checkedObject<T extends KubernetesObject>(request: string, content: unknown): T {
  if (!isKubernetesObject<T>(content)) throw malformed(request, 'a Kubernetes object');
  return content;
}

/**
 * Checks the fields that its kind declares, on whose types all code relies.
 * @returns the object
 * @throws NetworkError that names the first field with another type
 */
export function checkedFields<T extends KubernetesObject>(
  request: string,
  type: ResourceType,
  object: T,
): T {
  const field = fieldFault(type, object);
  if (field === undefined) return object;
  const fault = `of the type that the Kubernetes API defines: field ${field} of ${describe(type, keyOf(object))}`;
  throw malformed(request, fault);
}

/** Response of a list request. */
export interface ListResponse<T extends KubernetesObject = KubernetesObject> {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items?: readonly T[] | null;
}

/** A list whose kind may not be stored, such as ComponentStatus. It has no version. */
interface Page<T extends KubernetesObject> extends Omit<ListResponse<T>, 'metadata'> {
  readonly metadata: Partial<ListResponse['metadata']>;
}

function isPage<T extends KubernetesObject>(content: unknown): content is Page<T> {
  const { metadata, items = [] } = isObject(content) ? content : {};
  return (
    isObject(metadata) &&
    [metadata['resourceVersion'], metadata['continue']].every(isText) &&
    (items === null || (Array.isArray(items) && items.every(isNamed)))
  );
}

/**
 * Returns the list of a response.
 * @param type of the objects, if they have more than metadata
 * @throws NetworkError when it is none, or an object has a field of another type
 */
export function checkedList<T extends KubernetesObject>(
  request: string,
  content: unknown,
  type?: ResourceType,
): ListResponse<T> {
  if (!isPage<T>(content)) throw malformed(request, 'a list of Kubernetes objects');
  if (type !== undefined)
    for (const item of content.items ?? []) checkedFields(request, type, item);
  const versioned = { resourceVersion: '', ...content.metadata };
  return { ...content, metadata: versioned };
}

/** One event of a watch. A bookmark only has a resourceVersion. */
export interface WatchEvent<T extends KubernetesObject = KubernetesObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: T;
  /** Length in characters. */
  readonly size?: number;
}

const TYPES: ReadonlySet<unknown> = new Set(['ADDED', 'MODIFIED', 'DELETED']);

/**
 * Returns the event of a line.
 * @param of type of the objects, if they have more than metadata. That of a bookmark has no other valid field
 * @throws ApiError for an ERROR event, NetworkError when the line is no event, or the object has a field of another type
 */
export function checkedEvent<T extends KubernetesObject>(
  request: string,
  content: unknown,
  of?: ResourceType,
): WatchEvent<T> {
  const { type, object } = isObject(content) ? content : {};
  if (type === 'ERROR' && isObject(object)) throw errorEvent(request, object);
  if (!isEvent<T>(content)) throw malformed(request, 'an event of a watch');
  if (of !== undefined && type !== 'BOOKMARK') checkedFields(request, of, content.object);
  return content;
}

function isEvent<T extends KubernetesObject>(content: unknown): content is WatchEvent<T> {
  const { type, object } = isObject(content) ? content : {};
  return (
    (TYPES.has(type) && isNamed(object)) || (type === 'BOOKMARK' && isKubernetesObject(object))
  );
}

function errorEvent(request: string, status: Json): Error {
  const { code } = status;
  return toApiError(request, {
    code: typeof code === 'number' ? code : 500,
    body: JSON.stringify(status),
  });
}
