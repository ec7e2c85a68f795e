/** Desired versions of a spec (pure function). */
import type { DefaultedSpec } from '../defaults/defaults.ts';
import type { Versions } from '../karmada.ts';
import { formatVersion, productVersion } from './versions.ts';

/**
 * Returns the desired versions of a spec from `spec.version` or the tags of karmada-controller-manager, kube-apiserver
 * and a local etcd. A tag without a version is omitted. `status.versions` has the running versions.
 */
export function wantedVersions(spec: DefaultedSpec): Versions {
  const { etcd, karmadaAPIServer, karmadaControllerManager } = spec.components;
  const karmada = productVersion('karmada', spec.version || karmadaControllerManager.imageTag);
  const kubernetes = productVersion('kubernetes', karmadaAPIServer.imageTag);
  const store = productVersion('etcd', etcd.local?.imageTag ?? '');
  return {
    ...(karmada && { karmada: formatVersion(karmada) }),
    ...(kubernetes && { kubernetes: formatVersion(kubernetes) }),
    ...(store && { etcd: formatVersion(store).slice(1) }),
  };
}
