import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { isNamespaceTerminating, isStatus } from '../kubernetes/client/errors.ts';

/**
 * Wraps a client so that each forbidden call (403) triggers a callback. The cause may be RBAC, a quota or another
 * admission plugin. A 403 from a terminating namespace does not count.
 * @param hear called after each forbidden call; the error is rethrown
 */
export function reportingForbidden(client: KubernetesClient, hear: () => void): KubernetesClient {
  const heard = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      if (isStatus(error, 403) && !isNamespaceTerminating(error)) hear();
      throw error;
    }
  };
  return {
    typeOf: (object) => client.typeOf(object),
    get: (...call) => heard(client.get(...call)),
    find: (...call) => heard(client.find(...call)),
    listPage: (...call) => heard(client.listPage(...call)),
    list: (...call) => heard(client.list(...call)),
    watch: (...call) => client.watch(...call),
    create: (...call) => heard(client.create(...call)),
    replace: (...call) => heard(client.replace(...call)),
    apply: (...call) => heard(client.apply(...call)),
    patch: (...call) => heard(client.patch(...call)),
    delete: (...call) => heard(client.delete(...call)),
    raw: (...call) => client.raw(...call),
    close: () => client.close(),
  };
}
