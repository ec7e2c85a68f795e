/** Versions that a spec asks for: pure. */
import type { DefaultedSpec } from './defaults.ts';
import type { Versions } from './karmada.ts';
import { formatVersion, parseVersion } from './versions.ts';

/**
 * Versions a spec asks for, as far as its tags tell: those of karmada-controller-manager,
 * kube-apiserver and a local etcd. What runs is another matter, see `status.versions`.
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
