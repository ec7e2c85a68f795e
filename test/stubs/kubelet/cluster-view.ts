/** What the containers of Pods read of their cluster: mounted Secrets, PVCs and other Pods. */
import type { Log } from '../../../src/kubernetes/time/clock.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import type { Store } from '../api/store.ts';

export interface ClusterView {
  secret(namespace: string, name: string): KubernetesObject | undefined;
  claim(namespace: string, name: string): KubernetesObject | undefined;
  pods(namespace: string): readonly KubernetesObject[];
  /** Calls `listener` for each created, changed or deleted Pod. */
  onPod(listener: (pod: KubernetesObject) => void): void;
  onDeletedClaim(listener: (claim: KubernetesObject) => void): void;
}

/** View of a stub API in the same process. */
export const viewOfStore = (store: Store): ClusterView => ({
  secret: (namespace, name) => store.get('/secrets', `${namespace}/${name}`),
  claim: (namespace, name) => store.get('/persistentvolumeclaims', `${namespace}/${name}`),
  pods: (namespace) => store.list('/pods', namespace),
  onPod: (listener) =>
    store.subscribe((resource, { object }) => {
      if (resource === '/pods') listener(object);
    }),
  onDeletedClaim: (listener) =>
    store.subscribe((resource, { object, type }) => {
      if (resource === '/persistentvolumeclaims' && type === 'DELETED') listener(object);
    }),
});

export const SILENT: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** Data of a Secret, in base64. @throws Error if it does not exist */
export function secretData(
  view: ClusterView,
  namespace: string,
  name: string,
): Readonly<Record<string, string>> {
  const secret = view.secret(namespace, name);
  if (secret === undefined) throw new Error(`Secret ${name} does not exist`);
  return (secret['data'] ?? {}) as Readonly<Record<string, string>>;
}
