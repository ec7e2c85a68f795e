/**
 * Finds the image that a component runs, even if its workload was deleted: the operator must not recreate a deleted
 * Deployment with a blocked version. Pure functions.
 */
import type { PodSpec } from '../../kubernetes/objects/pod-kinds.ts';
import type { ComponentKey, KarmadaStatus, Versions } from '../../api/karmada.ts';
import { COMPONENT_NAME } from '../../api/naming.ts';
import { compareVersions, parseVersion, type Version } from '../../api/versions/versions.ts';
import { isWorkload } from '../../components/workload.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { COMPONENT } from '../../api/labels.ts';
import type { HostSnapshot } from '../../instance/snapshot.ts';

/** Sources for the running versions. */
export interface RunningEvidence {
  readonly status: Pick<KarmadaStatus, 'versions' | 'upgrade'>;
  readonly host: Pick<HostSnapshot, 'objects' | 'pods'>;
}

/** Image as repository and tag. Without a repository, that of the spec applies. */
export interface RunningImage {
  readonly imageRepository?: string;
  readonly imageTag: string;
}

/**
 * Returns the image of the workload of a component. Without a workload, it returns the newest image of its Pods.
 * Without Pods, it returns the version in the status.
 * @param subject version group of the component
 * @returns undefined if no source has an image or version
 */
export function runningImage(
  { status, host }: RunningEvidence,
  subject: keyof Versions,
  key: ComponentKey | 'etcd',
): RunningImage | undefined {
  const isOfComponent = ({ metadata }: KubernetesObject): boolean =>
    metadata.labels?.[COMPONENT] === COMPONENT_NAME[key];
  const workload = host.objects.filter(isWorkload).find(isOfComponent);
  const image = workload
    ? imageOf(workload.spec.template.spec)
    : newestOf(host.pods.filter(isOfComponent).map((pod) => imageOf(pod.spec)));
  return image === undefined ? recorded(status, subject) : imageParts(image);
}

function imageOf(podSpec: PodSpec | undefined): string | undefined {
  const image = podSpec?.containers?.[0]?.image;
  return typeof image === 'string' ? image : undefined;
}

/** The newest image. A workload may be deleted during a rollout, and stored data cannot be downgraded. */
function newestOf(images: readonly (string | undefined)[]): string | undefined {
  const known = images.flatMap((image) => {
    const version = image && parseVersion(imageParts(image).imageTag);
    return image && version ? [{ image, version }] : [];
  });
  return known.sort((a, b) => compareVersions(b.version, a.version))[0]?.image;
}

/**
 * The newer one of the last observed version and the target of an incomplete upgrade, which may have served requests.
 * The status omits the revision of an etcd image tag; it is 0 in all published images.
 */
function recorded(
  { versions, upgrade }: RunningEvidence['status'],
  subject: keyof Versions,
): RunningImage | undefined {
  const known = [versions?.[subject], upgrade?.to?.[subject]].flatMap((text) => {
    const version: Version | undefined = text ? parseVersion(text) : undefined;
    return text && version ? [{ text, version }] : [];
  });
  const [newest] = known.sort((a, b) => compareVersions(b.version, a.version));
  if (newest === undefined) return undefined;
  return { imageTag: subject === 'etcd' ? `${newest.text}-0` : newest.text };
}

/** Splits an image reference of a Pod, `registry:5000/name:tag@sha256:…`; the tag may include the digest. */
function imageParts(image: string): Required<RunningImage> {
  const [name = ''] = image.split('@');
  const colon = name.lastIndexOf(':');
  return { imageRepository: image.slice(0, colon), imageTag: image.slice(colon + 1) };
}
