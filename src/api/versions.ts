/** Versions read from image tags, which pairs go together, and which steps an upgrade may take. */
import type { SemVer } from 'semver';
import parse from 'semver/functions/parse.js';
import type { Versions } from './karmada.ts';

export type Version = SemVer;

/**
 * The version an image tag (`v1.35.4`, `3.6.6-0`) stands for, or undefined (`latest`, a digest…). A tag cannot have the
 * `+` of a version's build; Helm and others write `_`.
 */
export function parseVersion(tag: string): Version | undefined {
  const [name = ''] = tag.split(/[@_]/);
  return /\s/.test(name) ? undefined : (parse(name, { loose: true }) ?? undefined);
}

/** Whether a tag is that of a plain release of Karmada or Kubernetes: `v1.17.1`. */
export function isReleaseTag(tag: string): boolean {
  return /^v\d+\.\d+\.\d+$/.test(tag);
}

/**
 * Order of two versions by major, minor, patch: negative, 0 or positive. Suffixes do not count, as
 * they mean different things for each image.
 */
export function compareVersions(one: Version, other: Version): number {
  return one.compareMain(other);
}

/** Minor version of Kubernetes 1.x behind a tag, or undefined when the tag does not say. */
export function kubernetesMinor(tag: string): number | undefined {
  const version = parseVersion(tag);
  return version?.major === 1 ? version.minor : undefined;
}

/** A version as status and messages show it, `v1.17.1`; etcd's has no `v` there. */
export function formatVersion(version: Version): string {
  return `v${version.major}.${version.minor}.${version.patch}`;
}

/**
 * Kubernetes minor whose libraries each Karmada minor (1.x) is built with. Its components are made
 * for an API server of that minor or one beside it (the skew that client libraries support).
 */
const KUBERNETES_OF_KARMADA: Readonly<Record<number, number>> = { 16: 34, 17: 35 };

/** Kubernetes minors an API server may have under a Karmada, or undefined when it is not known. */
export function supportedKubernetes(
  karmadaTag: string,
): { readonly oldest: number; readonly newest: number } | undefined {
  const karmada = parseVersion(karmadaTag);
  const minor = karmada?.major === 1 ? KUBERNETES_OF_KARMADA[karmada.minor] : undefined;
  return minor === undefined ? undefined : { oldest: minor - 1, newest: minor + 1 };
}

/** Why two versions do not go together, or why one cannot follow the other. */
export interface SkewProblem {
  readonly reason: 'Downgrade' | 'SkippedMinor' | 'UnknownVersion' | 'UnsupportedPair';
  readonly message: string;
}

/** What is upgraded as one, with the name people know it by. */
const SUBJECTS: Readonly<Record<keyof Versions, string>> = {
  etcd: 'etcd',
  kubernetes: 'kube-apiserver',
  karmada: 'Karmada',
};

/** One version that becomes another. */
export interface MovedVersion {
  readonly subject: keyof Versions;
  readonly before: string;
  readonly after: string;
}

/** The versions that are known on both sides and differ. */
export function movedVersions(from: Versions, to: Versions): readonly MovedVersion[] {
  return (Object.keys(SUBJECTS) as (keyof Versions)[]).flatMap((subject) => {
    const [before, after] = [from[subject], to[subject]];
    if (before === undefined || after === undefined || before === after) return [];
    return [{ subject, before, after }];
  });
}

/**
 * What speaks against an upgrade; empty when nothing does. Minor versions go up one at a time and
 * never down, as neither stored data nor CRDs can go back; patches are free. A version that cannot
 * be told (no release in its tag) is a problem of its own when it changes.
 */
export function checkUpgrade(from: Versions, to: Versions): readonly SkewProblem[] {
  const steps = movedVersions(from, to).flatMap(({ subject, before, after }) =>
    checkStep(SUBJECTS[subject], before, after),
  );
  return [...steps, ...checkPair(to.karmada, to.kubernetes)];
}

function checkStep(subject: string, from: string, to: string): readonly SkewProblem[] {
  const [before, after] = [parseVersion(from), parseVersion(to)];
  if (!before || !after) {
    const message = `${subject} from ${from} to ${to}: the tag of an image must begin with its version, so that the step can be checked`;
    return [{ reason: 'UnknownVersion', message }];
  }
  const distance = after.major - before.major || after.minor - before.minor;
  if (distance < 0) {
    const message = `${subject} cannot go back from ${from} to ${to}: restore a snapshot into a new instance instead`;
    return [{ reason: 'Downgrade', message }];
  }
  if (distance > 1 || after.major !== before.major) {
    const message = `${subject} cannot go from ${from} to ${to} at once: take one minor version at a time`;
    return [{ reason: 'SkippedMinor', message }];
  }
  return [];
}

/** Whether a Karmada goes with an API server; nothing is said about versions that are not known. */
export function checkPair(
  karmada: string | undefined,
  kubernetes: string | undefined,
): readonly SkewProblem[] {
  const range = karmada === undefined ? undefined : supportedKubernetes(karmada);
  const minor = kubernetes === undefined ? undefined : kubernetesMinor(kubernetes);
  if (!range || minor === undefined) return [];
  if (minor >= range.oldest && minor <= range.newest) return [];
  const message = `Karmada ${karmada} is made for kube-apiserver 1.${range.oldest} to 1.${range.newest}, not for ${kubernetes}`;
  return [{ reason: 'UnsupportedPair', message }];
}

/**
 * Whether kube-controller-manager goes with kube-apiserver: the same minor or one older, never newer
 * (Kubernetes version skew policy).
 */
export function checkControllerManager(
  apiServer: string,
  controllerManager: string,
): readonly SkewProblem[] {
  const [server, manager] = [kubernetesMinor(apiServer), kubernetesMinor(controllerManager)];
  if (server === undefined || manager === undefined) return [];
  if (manager <= server && manager >= server - 1) return [];
  const message = `kube-controller-manager ${controllerManager} must be of the minor version of kube-apiserver ${apiServer} or one older`;
  return [{ reason: 'UnsupportedPair', message }];
}
