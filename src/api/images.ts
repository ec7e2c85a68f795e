/** Default images and versions of a control plane. */
import type { ComponentKey, Components } from './karmada.ts';
import { isDisabled } from './addon.ts';
import { CATALOG, factsByKey } from './component-catalog.ts';
import { DEFAULT_RELEASE } from './releases/releases.ts';
import { isReleaseTag, karmadaReleaseOf } from './versions/versions.ts';

/** Default Karmada release; the operator image contains its CRD archive. */
export const DEFAULT_KARMADA_TAG = DEFAULT_RELEASE.release;
/** Default etcd release: one without known faults (etcd-releases.ts), published as image in the Kubernetes registry. */
export const DEFAULT_ETCD_TAG = '3.6.14-0';

/** Returns the default tag of kube-apiserver and kube-controller-manager. @param version `spec.version` */
export function kubernetesTagFor(version: string | undefined): string {
  const release = version ? karmadaReleaseOf(version) : undefined;
  return (release ?? DEFAULT_RELEASE).kubernetesTag;
}

const { etcd: etcdRepository, ...repositories } = factsByKey('repository');

export const ETCD_REPOSITORY = etcdRepository;

/** Official repository of each component's image. */
export const REPOSITORY: Readonly<Record<ComponentKey, string>> = repositories;

const releasedWith = (release: 'kubernetes' | 'karmada'): readonly ComponentKey[] =>
  CATALOG.filter((row) => row.release === release).flatMap(({ key }) =>
    key === 'etcd' ? [] : key,
  );

/** Components whose images are released together with Kubernetes. */
export const KUBERNETES_COMPONENTS = releasedWith('kubernetes');

/** Components whose images are released together as one Karmada version. */
export const KARMADA_COMPONENTS = releasedWith('karmada');

/** Image name: part of a repository after the last slash. */
function imageName(repository: string): string {
  return repository.slice(repository.lastIndexOf('/') + 1);
}

function withoutSlashes(registry: string): string {
  let end = registry.length;
  while (registry[end - 1] === '/') end -= 1;
  return registry.slice(0, end);
}

/**
 * Returns the default repository of an image: the official one, or the image name below `spec.privateRegistry.registry`
 * (the layout that `karmadactl init` expects of a private registry).
 */
export function defaultRepository(official: string, registry: string | undefined): string {
  const host = registry && withoutSlashes(registry);
  return host ? `${host}/${imageName(official)}` : official;
}

/**
 * Returns the default tag of the components in a group. If the tags that are set name the same release, the default is
 * that release. Why: an add-on that is enabled later gets the version of the control plane, not that of a newer
 * operator, and kube-controller-manager is never newer than the API server.
 */
export function defaultTag(
  components: Components | undefined,
  group: readonly ComponentKey[],
  fallback: string,
): string {
  // A digest identifies a single image, so the other components take only the release part of the tag.
  const tags = new Set(
    group.flatMap((key) => officialTag(components, key)).flatMap((tag) => tag.split('@', 1)),
  );
  const [tag] = tags;
  return tag !== undefined && tags.size === 1 && isReleaseTag(tag) ? tag : fallback;
}

function officialTag(components: Components | undefined, key: ComponentKey): string[] {
  const settings = components?.[key];
  if (!settings?.imageTag || isDisabled(settings)) return [];
  const repository = settings.imageRepository || REPOSITORY[key];
  return imageName(repository) === imageName(REPOSITORY[key]) ? [settings.imageTag] : [];
}
