import { anyClient } from '../client/any-client.fixture.ts';
import { NetworkError, toApiError } from '../client/errors.ts';
import type { LeaderOptions } from '../leader-election/leader.ts';
import { specOf } from './lease.ts';
import type { KubernetesObject } from './object.ts';

/** Fake API server with one Lease, optimistic concurrency and injected errors. */
export class LeaseServer {
  readonly state = { finds: 0, writes: 0, broken: false, forbidden: false };
  #lease: KubernetesObject | undefined;
  #version = 0;

  readonly client: LeaderOptions['client'] = anyClient({
    find: async () => {
      this.state.finds += 1;
      this.#check();
      return Promise.resolve(this.#lease);
    },
    create: async (object) => {
      this.#check();
      if (this.#lease !== undefined) throw conflict();
      return Promise.resolve(this.#store(object));
    },
    replace: async (object) => {
      this.#check();
      const current = this.#lease?.metadata.resourceVersion;
      if (object.metadata.resourceVersion !== current) throw conflict();
      return Promise.resolve(this.#store(object));
    },
  });

  holder(): string | undefined {
    return specOf(this.#lease).holderIdentity;
  }

  /** Modifies the Lease as another client. */
  touch(spec: object = {}): void {
    const lease = this.#lease;
    if (lease !== undefined)
      this.#store({ ...lease, spec: { ...(lease['spec'] as object), ...spec } });
  }

  #check(): void {
    if (this.state.forbidden) throw toApiError('get Lease', { code: 403, body: '' });
    if (this.state.broken) throw new NetworkError('lease', 'ECONNREFUSED', 'refused');
  }

  #store(object: KubernetesObject): KubernetesObject {
    this.#version += 1;
    this.state.writes += 1;
    const resourceVersion = String(this.#version);
    this.#lease = { ...object, metadata: { ...object.metadata, resourceVersion } };
    return this.#lease;
  }
}

const conflict = (): Error => toApiError('replace Lease', { code: 409, body: '' });
