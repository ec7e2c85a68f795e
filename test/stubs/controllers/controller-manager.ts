/** The controllers of a stub cluster, as kube-controller-manager runs them. */
import { isTerminating, type KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import type { StoreEvent } from '../api/store.ts';
import type { StubApi } from '../api/stub-api.ts';
import { StubClient } from '../api/stub-client.ts';
import { claimNames, Claims } from './claims.ts';
import { ClusterIndex, type Indexed } from './cluster-index.ts';
import { Deployments } from './deployments.ts';
import { Garbage } from './garbage.ts';
import { controllerOf } from './pods.ts';
import { StatefulSets } from './stateful-sets.ts';
import { WorkQueue } from './work-queue.ts';

const keyOf = ({ metadata: { name, namespace = '' } }: KubernetesObject): string =>
  `${namespace}/${name}`;

export class ControllerManager {
  readonly #api: StubApi;
  readonly #index: ClusterIndex;
  readonly #queues: Readonly<Record<string, WorkQueue>>;
  readonly #garbage: WorkQueue;

  constructor(api: StubApi) {
    this.#api = api;
    const client = new StubClient(api, [], 'kube-controller-manager');
    this.#index = new ClusterIndex(api.store);
    const deployments = new Deployments(client, this.#index);
    const sets = new StatefulSets(client, this.#index);
    const claims = new Claims(client, api.store);
    const garbage = new Garbage(api, this.#index);
    this.#garbage = new WorkQueue((uid) => garbage.sync(uid));
    this.#queues = {
      'apps/deployments': this.#queue('apps/deployments', (one) => deployments.sync(one)),
      'apps/statefulsets': this.#queue('apps/statefulsets', (one) => sets.sync(one)),
      '/persistentvolumes': this.#queue('/persistentvolumes', (one) => claims.syncVolume(one)),
      '/persistentvolumeclaims': this.#queue('/persistentvolumeclaims', (one) =>
        claims.syncClaim(one),
      ),
      '/namespaces': this.#queue('/namespaces', (one) => garbage.syncNamespace(one)),
    };
    api.store.subscribe((resource, event) => this.#note(resource, event));
  }

  stop(): void {
    this.#garbage.stop();
    for (const queue of Object.values(this.#queues)) queue.stop();
  }

  #queue(resource: string, sync: (object: KubernetesObject) => void | Promise<void>): WorkQueue {
    return new WorkQueue((key) => {
      const found = this.#api.store.get(resource, key);
      return found && sync(found);
    });
  }

  #note(resource: string, { object, type }: StoreEvent): void {
    const isDeleted = type === 'DELETED';
    this.#queues[resource]?.add(keyOf(object));
    if (resource === '/pods') this.#notePod(object);
    if (resource === '/persistentvolumeclaims' && isDeleted) this.#noteVolume(object);
    if (isDeleted) this.#noteDeleted(object);
    else this.#garbage.add(object.metadata.uid ?? '');
    if (isDeleted || isTerminating(object)) this.#noteNamespace(object);
  }

  /** A terminating Namespace waits until it has no objects. */
  #noteNamespace({ metadata: { namespace = '' } }: KubernetesObject): void {
    const found = this.#api.store.get('/namespaces', `/${namespace}`);
    if (found !== undefined && isTerminating(found)) this.#enqueue('/namespaces', found);
  }

  /** The workload of a Pod counts it, and a PVC waits until no Pod uses it. */
  #notePod(pod: KubernetesObject): void {
    const owner = this.#ownerOf(pod);
    if (owner?.resource === 'apps/statefulsets') this.#enqueue(owner.resource, owner.object);
    const above = owner && this.#ownerOf(owner.object);
    if (above?.resource === 'apps/deployments') this.#enqueue(above.resource, above.object);
    const { namespace = '' } = pod.metadata;
    for (const name of claimNames(pod))
      this.#queues['/persistentvolumeclaims']?.add(`${namespace}/${name}`);
  }

  #ownerOf(object: KubernetesObject): Indexed | undefined {
    return this.#index.find(controllerOf(object) ?? '');
  }

  #noteVolume({ spec }: KubernetesObject): void {
    const { volumeName } = spec as { volumeName?: string };
    if (volumeName !== undefined) this.#queues['/persistentvolumes']?.add(`/${volumeName}`);
  }

  #noteDeleted({ metadata: { uid = '', ownerReferences = [] } }: KubernetesObject): void {
    for (const { object } of this.#index.dependents(uid))
      this.#garbage.add(object.metadata.uid ?? '');
    for (const owner of ownerReferences) this.#garbage.add(owner.uid);
  }

  #enqueue(resource: string, object: KubernetesObject): void {
    this.#queues[resource]?.add(keyOf(object));
  }
}
