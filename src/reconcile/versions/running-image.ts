/**
 * The image that a component runs, from evidence that outlives its workload: pure. A deleted Deployment must not be made
 * again in a version that is held back.
 */
import type { ComponentKey, KarmadaStatus, Versions } from '../../api/karmada.ts';
import { COMPONENT_NAME } from '../../api/naming.ts';
import { compareVersions, parseVersion, type Version } from '../../api/versions.ts';
import { isWorkload } from '../../components/workload.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { COMPONENT } from '../../api/labels.ts';
import type { HostSnapshot } from '../snapshot.ts';

/** What tells which versions run. */
export interface RunningEvidence {
  readonly status: Pick<KarmadaStatus, 'versions' | 'upgrade'>;
  readonly host: Pick<HostSnapshot, 'objects' | 'pods'>;
}

/** An image in the two parts of the settings; without a repository that of the spec is meant. */
export interface RunningImage {
  readonly imageRepository?: string;
  readonly imageTag: string;
}

/**
 * The image in the workload of a component; without a workload the newest one of its pods; without those the version
 * in the status.
 * @param subject version that the component belongs to
 * @returns undefined when nothing tells
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
    : newestOf(host.pods.filter(isOfComponent).map((pod) => imageOf(pod['spec'])));
  return image === undefined ? recorded(status, subject) : imageParts(image);
}

function imageOf(podSpec: unknown): string | undefined {
  const { containers = [] } = (podSpec ?? {}) as {
    readonly containers?: readonly { readonly image?: unknown }[];
  };
  const image = containers[0]?.image;
  return typeof image === 'string' ? image : undefined;
}

/** The workload may have been deleted in the middle of a rollout, and what is stored does not go back. */
function newestOf(images: readonly (string | undefined)[]): string | undefined {
  const known = images.flatMap((image) => {
    const version = image && parseVersion(imageParts(image).imageTag);
    return image && version ? [{ image, version }] : [];
  });
  return known.sort((a, b) => compareVersions(b.version, a.version))[0]?.image;
}

/**
 * The version that was seen last, or the one that an upgrade under way was bringing: it may have served since. A status
 * has versions without what images have besides: that of etcd has a revision, which is 0 in all that is published.
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

/** An image as a pod names it. */
function imageParts(image: string): Required<RunningImage> {
  const [name = ''] = image.split('@');
  const colon = name.lastIndexOf(':');
  return { imageRepository: image.slice(0, colon), imageTag: image.slice(colon + 1) };
}
