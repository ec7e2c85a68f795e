import type {
  CallOptions,
  DeleteOptions,
  ListPage,
  Selection,
  WatchOptions,
  WriteOptions,
} from './client-interface.ts';
import type { ListResponse } from './checked-response.ts';
import type { KubernetesObject } from '../objects/object.ts';
import { fieldsOf } from '../objects/records.ts';
import {
  apiVersionOf,
  describe,
  pathOf,
  resources,
  type ResourceType,
} from '../objects/resources.ts';
import type { Call } from './sender.ts';
import { jsonForYaml } from '../objects/yaml-json.ts';

/** Query parameters. Undefined values are omitted. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** A request to the Kubernetes API: verb, resource type and key. */
export interface Request {
  readonly verb: string;
  readonly method: Call['method'];
  readonly type: ResourceType;
  readonly key?: { readonly namespace?: string; readonly name?: string };
  readonly subresource?: string | undefined;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Whether the request is idempotent and so may be retried. */
  readonly repeatable?: boolean;
  /** Maximum length of the response in bytes; defaults to the limit of the client. */
  readonly maxBytes?: number;
  readonly options?: CallOptions | undefined;
}

/** Converts a request to an HTTP call. */
export function toCall(
  request: Request,
  defaults: { readonly userAgent: string; readonly timeoutMs: number },
): Call {
  const { type, key, subresource } = request;
  const hasBody = request.body !== undefined;
  return {
    method: request.method,
    path: `${pathOf(type, key ?? {}, subresource)}${queryText(request.query ?? {})}`,
    headers: {
      accept: 'application/json',
      'user-agent': defaults.userAgent,
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
      ...request.headers,
    },
    ...(hasBody ? { body: jsonForYaml(request.body) } : {}),
    ...limitsOf(request, defaults.timeoutMs),
    description: describeRequest(request),
    about: { verb: request.verb, resource: type.plural },
    repeatable: request.repeatable ?? false,
    secret: type.kind === resources.Secret.kind,
  };
}

/** What ends the call. */
const limitsOf = (
  { options: { signal, timeoutMs } = {}, maxBytes }: Request,
  defaultMs: number,
): Pick<Call, 'signal' | 'timeoutMs' | 'maxBytes'> => ({
  timeoutMs: timeoutMs ?? defaultMs,
  ...(signal && { signal }),
  ...(maxBytes !== undefined && { maxBytes }),
});

function describeRequest({ verb, type, key, subresource, ...request }: Request): string {
  const own = fieldsOf(fieldsOf(request.body)['metadata'])['name'];
  const name = key?.name ?? (typeof own === 'string' ? own : undefined);
  const named = name === undefined ? undefined : { ...key, name };
  const suffix = subresource === undefined ? '' : ` (${subresource})`;
  return `${verb} ${describe(type, named)}${suffix}`;
}

/** Key, query and Accept header of a list (suffix 'List') or watch (suffix ''). */
export function selectionOf(
  selection: Selection,
  suffix: 'List' | '',
): Required<Pick<Request, 'key' | 'query' | 'headers'>> {
  const { namespace, labelSelector, fieldSelector, metadataOnly } = selection;
  const form = `;as=PartialObjectMetadata${suffix};g=meta.k8s.io;v=v1`;
  return {
    key: namespace === undefined ? {} : { namespace },
    query: { labelSelector, fieldSelector },
    headers: { accept: `application/json${metadataOnly === true ? form : ''}` },
  };
}

/** Query of a watch, without its selection. */
export const watchQuery = ({ resourceVersion, timeoutSeconds }: WatchOptions): Query => ({
  watch: true,
  allowWatchBookmarks: true,
  resourceVersion,
  timeoutSeconds,
});

/** Where an object is created: in a collection, or below an object for a subresource. */
export const collectionOf = (
  { metadata: { namespace, name } }: KubernetesObject,
  { subresource }: WriteOptions,
): Required<Pick<Request, 'key'>>['key'] => ({
  ...(namespace === undefined ? {} : { namespace }),
  ...(subresource === undefined ? {} : { name }),
});

/** Converts a list response to a page. Its items have apiVersion and kind. */
export function toPage<T extends KubernetesObject>(
  type: ResourceType<T>,
  answer: ListResponse<T>,
): ListPage<T> {
  const { resourceVersion, continue: next = '' } = answer.metadata;
  const items = (answer.items ?? []).map((item) => asType(type, item));
  return { resourceVersion, items, ...(next === '' ? {} : { continue: next }) };
}

/** Sets apiVersion and kind. List items have none, and metadata-only objects have those of PartialObjectMetadata. */
export function asType<T extends KubernetesObject>(type: ResourceType, object: T): T {
  return { ...object, apiVersion: apiVersionOf(type), kind: type.kind };
}

/** Common parts of all writes. Strict validation makes the API server reject unknown and duplicate fields. */
export function write(
  options: WriteOptions,
  query: Query = {},
): Pick<Request, 'subresource' | 'options' | 'query'> {
  return {
    subresource: options.subresource,
    options,
    query: {
      fieldManager: options.fieldManager,
      fieldValidation: 'Strict',
      ...(options.dryRun === true ? { dryRun: 'All' } : {}),
      ...query,
    },
  };
}

/** DeleteOptions as the body of a DELETE request. */
export function deleteOptions(options: DeleteOptions): object {
  const { uid, resourceVersion, propagationPolicy, gracePeriodSeconds } = options;
  const unconditional = uid === undefined && resourceVersion === undefined;
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    propagationPolicy,
    gracePeriodSeconds,
    ...(unconditional ? {} : { preconditions: { uid, resourceVersion } }),
  };
}

function queryText(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}
