/** Client that reads objects only in the watched namespaces. */
import type { KubernetesClient } from './client-interface.ts';
import { ApiError } from './errors.ts';
import { describe, type ObjectKey, type ResourceType } from '../objects/resources.ts';

/**
 * Wraps a client so that reading an object of another namespace fails like a forbidden call, but says why, and sends no
 * request. A Karmada can refer to such objects, and the operator has no permissions there.
 * @param namespaces the watched namespaces
 */
export function readingOnlyIn(
  client: KubernetesClient,
  namespaces: readonly string[],
): KubernetesClient {
  const check = (type: ResourceType, key: ObjectKey): void => {
    if (!type.namespaced || key.namespace === undefined || namespaces.includes(key.namespace))
      return;
    throw new ApiError({
      request: `get ${describe(type, key)}`,
      code: 403,
      reason: 'Forbidden',
      message: `the operator does not watch namespace ${key.namespace} (--watch-namespaces)`,
    });
  };
  return {
    typeOf: (object) => client.typeOf(object),
    async get(type, key, options) {
      check(type, key);
      return client.get(type, key, options);
    },
    async find(type, key, options) {
      check(type, key);
      return client.find(type, key, options);
    },
    listPage: (...call) => client.listPage(...call),
    list: (...call) => client.list(...call),
    watch: (...call) => client.watch(...call),
    create: (...call) => client.create(...call),
    replace: (...call) => client.replace(...call),
    apply: (...call) => client.apply(...call),
    patch: (...call) => client.patch(...call),
    delete: (...call) => client.delete(...call),
    raw: (...call) => client.raw(...call),
    close: () => client.close(),
  };
}
