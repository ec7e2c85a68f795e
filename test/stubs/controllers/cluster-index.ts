/** Objects of a stub API by their owners. */
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import type { Store, StoreEvent } from '../api/store.ts';

/** An object and its resource, `group/plural`. */
export interface Indexed {
  readonly resource: string;
  readonly object: KubernetesObject;
}

export class ClusterIndex {
  readonly #byUid = new Map<string, Indexed>();
  readonly #dependents = new Map<string, Set<string>>();

  constructor(store: Store) {
    store.subscribe((resource, event) => this.#note(resource, event));
  }

  find(uid: string): Indexed | undefined {
    return this.#byUid.get(uid);
  }

  /** Objects that name the owner. */
  dependents(uid: string): readonly Indexed[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((one) => this.#byUid.get(one) ?? []);
  }

  #note(resource: string, { type, object }: StoreEvent): void {
    const { uid = '', ownerReferences = [] } = object.metadata;
    if (type === 'DELETED') this.#byUid.delete(uid);
    else this.#byUid.set(uid, { resource, object });
    for (const { uid: owner } of ownerReferences) {
      const known = this.#dependents.get(owner) ?? new Set<string>();
      if (type === 'DELETED') known.delete(uid);
      else known.add(uid);
      if (known.size === 0) this.#dependents.delete(owner);
      else this.#dependents.set(owner, known);
    }
  }
}
