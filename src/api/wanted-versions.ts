/** Desired versions of a spec (pure function). */
import type { DefaultedSpec } from './defaults.ts';
import type { Versions } from './karmada.ts';
import { formatVersion, parseVersion } from './versions.ts';

/**
 * Returns the desired versions of a spec from `spec.version` or the tags of karmada-controller-manager, kube-apiserver
 * and a local etcd. A tag without a version is omitted. `status.versions` has the running versions.
 */
export function wantedVersions(spec: DefaultedSpec): Versions {
  const { etcd, karmadaAPIServer, karmadaControllerManager } = spec.components;
  const karmada = parseVersion(spec.version || karmadaControllerManager.imageTag);
  const kubernetes = parseVersion(karmadaAPIServer.imageTag);
  const store = parseVersion(etcd.local?.imageTag ?? '');
  return {
    ...(karmada && { karmada: formatVersion(karmada) }),
    ...(kubernetes && { kubernetes: formatVersion(kubernetes) }),
    ...(store && { etcd: formatVersion(store).slice(1) }),
  };
}
