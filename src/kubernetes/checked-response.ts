/** Checks the shape of parsed responses of API servers, which may be any server: metadata, as far as all code relies on it. */
import { isObject, type Json } from './compare.ts';
import { NetworkError, toApiError } from './errors.ts';
import type { KubernetesObject } from './object.ts';

const isText = (value: unknown): boolean => value === undefined || typeof value === 'string';

/** Names, UIDs, versions and times are short. Some of them are remembered as long as there is an object. */
const MAX_LENGTH = 1_024;

const isShortText = (value: unknown): boolean =>
  value === undefined || (typeof value === 'string' && value.length <= MAX_LENGTH);

const isNumber = (value: unknown): boolean => value === undefined || typeof value === 'number';

const isTexts = (value: unknown): boolean =>
  value === undefined ||
  (isObject(value) && Object.values(value).every((one) => typeof one === 'string'));

const isList = (value: unknown): boolean => value === undefined || Array.isArray(value);

const TEXTS = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
];

/**
 * Names of all kinds are segments of paths (IsValidPathSegmentName of Kubernetes), here without control characters and those that change
 * the direction of a text; those of Namespaces are DNS labels (RFC 1123).
 */
const isName = (value: unknown): boolean =>
  typeof value !== 'string' ||
  !(/[/%\p{Cc}\p{Bidi_Control}]/u.test(value) || value === '.' || value === '..');

const NAMESPACE = /^(?:[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)?$/;

const isNamespace = (value: unknown): boolean => typeof value !== 'string' || NAMESPACE.test(value);

function isKubernetesObject<T extends KubernetesObject>(value: unknown): value is T {
  const metadata = isObject(value) ? value['metadata'] : undefined;
  if (!isObject(metadata)) return false;
  const { name, namespace, generation, labels, annotations, finalizers, ownerReferences } =
    metadata;
  return (
    TEXTS.every((field) => isShortText(metadata[field])) &&
    isNumber(generation) &&
    isName(name) &&
    isNamespace(namespace) &&
    [labels, annotations].every(isTexts) &&
    [finalizers, ownerReferences].every(isList)
  );
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

/** Returns the list of a response. @throws NetworkError when it is none */
export function checkedList<T extends KubernetesObject>(
  request: string,
  content: unknown,
): ListResponse<T> {
  if (!isPage<T>(content)) throw malformed(request, 'a list of Kubernetes objects');
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

/** Returns the event of a line. @throws ApiError for an ERROR event, NetworkError when the line is no event */
export function checkedEvent<T extends KubernetesObject>(
  request: string,
  content: unknown,
): WatchEvent<T> {
  const { type, object } = isObject(content) ? content : {};
  if (type === 'ERROR' && isObject(object)) throw errorEvent(request, object);
  if (!isEvent<T>(content)) throw malformed(request, 'an event of a watch');
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
