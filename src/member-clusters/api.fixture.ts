/** In-memory API server with the calls that the code of this folder uses. */
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { ApiError, NetworkError } from '../kubernetes/client/errors.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import {
  apiVersionOf,
  typeOf,
  type ObjectKey,
  type ResourceType,
} from '../kubernetes/objects/resources.ts';

const keyText = (type: ResourceType, { namespace = '', name }: ObjectKey): string =>
  `${apiVersionOf(type)}/${type.kind}/${namespace}/${name}`;

function apiError(code: number): ApiError {
  return new ApiError({ request: 'some request', code, reason: 'Refused', message: 'no' });
}

export class FakeApi {
  /** By apiVersion, kind, namespace and name. */
  readonly objects = new Map<string, KubernetesObject>();
  /** Every call, as `verb Kind name`. */
  readonly calls: string[] = [];
  /** Error of the next calls. */
  failure: 'unreachable' | 401 | 403 | undefined;
  readonly #issuesTokens: boolean;
  #version = 0;

  constructor({ issuesTokens = true } = {}) {
    this.#issuesTokens = issuesTokens;
  }

  typeOf(object: KubernetesObject): ResourceType {
    return typeOf(object, []);
  }

  async find(type: ResourceType, key: ObjectKey): Promise<KubernetesObject | undefined> {
    this.#call('get', type, key);
    return this.objects.get(keyText(type, key));
  }

  async get(type: ResourceType, key: ObjectKey): Promise<KubernetesObject> {
    const found = await this.find(type, key);
    if (found === undefined) throw apiError(404);
    return found;
  }

  async apply(object: KubernetesObject): Promise<KubernetesObject> {
    this.#call('apply', this.typeOf(object), object.metadata);
    const { type } = object as { type?: string };
    const token = { token: Buffer.from('narrow').toString('base64') };
    const issued = this.#issuesTokens && type === 'kubernetes.io/service-account-token';
    return this.put(issued ? { ...object, data: token } : object);
  }

  async delete(type: ResourceType, key: ObjectKey): Promise<void> {
    this.#call('delete', type, key);
    if (!this.objects.delete(keyText(type, key))) throw apiError(404);
  }

  async close(): Promise<void> {}

  /** Stores an object without recording a call. */
  put(object: KubernetesObject): KubernetesObject {
    const key = keyText(this.typeOf(object), object.metadata);
    this.#version += 1;
    const uid = this.objects.get(key)?.metadata.uid ?? `uid-${this.#version}`;
    const metadata = { ...object.metadata, uid, resourceVersion: String(this.#version) };
    const stored = { ...object, metadata };
    this.objects.set(key, stored);
    return stored;
  }

  /** Returns this object typed as a complete client. Tests call no other methods. */
  asClient(): KubernetesClient {
    return this as object as KubernetesClient;
  }

  #call(verb: string, type: ResourceType, key: ObjectKey): void {
    this.calls.push(`${verb} ${type.kind} ${key.name}`);
    if (this.failure === 'unreachable')
      throw new NetworkError(verb, 'EHOSTUNREACH', 'no route to host');
    if (this.failure === 401 || (this.failure === 403 && verb !== 'get'))
      throw apiError(this.failure);
  }
}
