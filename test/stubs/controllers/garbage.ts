/** Garbage collector and Namespace controller: delete what has no owner, and what a terminating Namespace contains. */
import { isTerminating, type KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import type { StubApi } from '../api/stub-api.ts';
import type { ClusterIndex, Indexed } from './cluster-index.ts';

const FOREGROUND = 'foregroundDeletion';

export class Garbage {
  readonly #api: StubApi;
  readonly #index: ClusterIndex;

  constructor(api: StubApi, index: ClusterIndex) {
    this.#api = api;
    this.#index = index;
  }

  /** Deletes an object if none of its owners exists, and ends a deletion in the foreground. @param uid of the object */
  sync(uid: string): void {
    const found = this.#index.find(uid);
    if (found === undefined) return;
    const { ownerReferences = [], finalizers = [] } = found.object.metadata;
    if (isTerminating(found.object)) {
      if (finalizers.includes(FOREGROUND)) this.#foreground(found);
      else if (finalizers.includes('orphan')) this.#release(found, 'orphan');
      return;
    }
    const isOrphan =
      ownerReferences.length > 0 && ownerReferences.every((one) => !this.#index.find(one.uid));
    if (isOrphan) this.#delete(found);
  }

  /** Deletes the content of a terminating Namespace, then the Namespace. */
  syncNamespace(namespace: KubernetesObject): void {
    if (!isTerminating(namespace)) return;
    const { name } = namespace.metadata;
    const { store } = this.#api;
    const content = store.resources.flatMap((resource) =>
      store.list(resource, name).map((object) => ({ resource, object })),
    );
    for (const one of content) if (!isTerminating(one.object)) this.#delete(one);
    if (content.length > 0) return;
    const body = { ...namespace, spec: { finalizers: [] } };
    this.#call('PUT', `/api/v1/namespaces/${name}/finalize`, body);
  }

  #foreground(found: Indexed): void {
    const dependents = this.#index.dependents(found.object.metadata.uid ?? '');
    for (const one of dependents) if (!isTerminating(one.object)) this.#delete(one);
    if (this.#index.dependents(found.object.metadata.uid ?? '').length === 0)
      this.#release(found, FOREGROUND);
  }

  #release({ resource, object }: Indexed, finalizer: string): void {
    const finalizers = (object.metadata.finalizers ?? []).filter((one) => one !== finalizer);
    this.#call('PATCH', this.#path(resource, object), { metadata: { finalizers } });
  }

  #delete({ resource, object }: Indexed): void {
    const { uid } = object.metadata;
    this.#call('DELETE', this.#path(resource, object), { preconditions: { uid } });
  }

  #path(resource: string, { apiVersion, metadata: { name, namespace } }: KubernetesObject): string {
    const [, plural = ''] = resource.split('/');
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    return `${root}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${plural}/${name}`;
  }

  #call(method: string, url: string, body: object): void {
    const headers = {
      'user-agent': 'garbage-collector',
      'content-type': 'application/merge-patch+json',
    };
    this.#api.handle({ method, url, headers, body: JSON.stringify(body) });
  }
}
