/** Versions from image tags, supported version pairs, and allowed upgrade steps. */
import type { SemVer } from 'semver';
import parse from 'semver/functions/parse.js';
import type { Versions } from './karmada.ts';
import { releaseOfMinor, type KarmadaRelease } from './releases/releases.ts';

export type Version = SemVer;

/**
 * Parses the version of an image tag (`v1.35.4`, `3.6.6-0`); undefined for others (`latest`, a digest…). Image tags
 * must not contain the `+` of build metadata, so Helm and other tools write `_`.
 */
export function parseVersion(tag: string): Version | undefined {
  const [name = ''] = tag.split(/[@_]/);
  return /\s/.test(name) ? undefined : (parse(name, { loose: true }) ?? undefined);
}

/** Whether a tag is a plain Karmada or Kubernetes release, such as `v1.17.1`. */
export function isReleaseTag(tag: string): boolean {
  return /^v\d+\.\d+\.\d+$/.test(tag);
}

/**
 * Compares two versions by major, minor and patch: negative, 0 or positive. Suffixes do not count, because their
 * meaning differs between images.
 */
export function compareVersions(one: Version, other: Version): number {
  return one.compareMain(other);
}

/** Returns the minor version of a Kubernetes 1.x tag, or undefined for other tags. */
export function kubernetesMinor(tag: string): number | undefined {
  const version = parseVersion(tag);
  return version?.major === 1 ? version.minor : undefined;
}

/** Formats a version for status and messages as `v1.17.1`; for etcd, callers remove the `v`. */
export function formatVersion(version: Version): string {
  return `v${version.major}.${version.minor}.${version.patch}`;
}

/** Returns the table of the minor version of a Karmada tag, or undefined if the operator has none. */
export function karmadaReleaseOf(tag: string): KarmadaRelease | undefined {
  const version = parseVersion(tag);
  return version && releaseOfMinor(version);
}

/**
 * Returns the Kubernetes minor versions that a Karmada release supports, or undefined if they are unknown: that of its
 * client libraries, or one minor version older or newer (version skew of the client libraries).
 */
export function supportedKubernetes(
  karmadaTag: string,
): { readonly oldest: number; readonly newest: number } | undefined {
  const minor = karmadaReleaseOf(karmadaTag)?.kubernetesMinor;
  return minor === undefined ? undefined : { oldest: minor - 1, newest: minor + 1 };
}

/** Unsupported version pair or upgrade step. */
export interface SkewProblem {
  readonly reason: 'Downgrade' | 'SkippedMinor' | 'UnknownVersion' | 'UnsupportedPair';
  readonly message: string;
}

/** Display names of the parts that have a version. */
const SUBJECTS: Readonly<Record<keyof Versions, string>> = {
  etcd: 'etcd',
  kubernetes: 'kube-apiserver',
  karmada: 'Karmada',
};

/** Version change of one part. */
export interface MovedVersion {
  readonly subject: keyof Versions;
  readonly before: string;
  readonly after: string;
}

/** Returns the versions that are known on both sides and differ. */
export function movedVersions(from: Versions, to: Versions): readonly MovedVersion[] {
  return (Object.keys(SUBJECTS) as (keyof Versions)[]).flatMap((subject) => {
    const [before, after] = [from[subject], to[subject]];
    if (before === undefined || after === undefined || before === after) return [];
    return [{ subject, before, after }];
  });
}

/**
 * Returns the problems of an upgrade; empty if it is allowed. Minor versions must increase one at a time and never
 * decrease, because neither stored data nor CRDs can be downgraded. Patch versions may change freely. A changed tag
 * without a version is a problem too.
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
    const message = `${subject}: the change from ${from} to ${to} cannot be checked, because an image tag does not start with a version; use tags that start with the version`;
    return [{ reason: 'UnknownVersion', message }];
  }
  const distance = after.major - before.major || after.minor - before.minor;
  if (distance < 0) {
    const message = `${subject}: downgrade from ${from} to ${to} is not supported; restore a snapshot into a new control plane instead`;
    return [{ reason: 'Downgrade', message }];
  }
  if (distance > 1 || after.major !== before.major) {
    const message = `${subject}: direct upgrade from ${from} to ${to} is not supported; upgrade one minor version at a time`;
    return [{ reason: 'SkippedMinor', message }];
  }
  return [];
}

/** Checks whether a Karmada release supports an API server version; unknown versions pass. */
export function checkPair(
  karmada: string | undefined,
  kubernetes: string | undefined,
): readonly SkewProblem[] {
  const range = karmada === undefined ? undefined : supportedKubernetes(karmada);
  const minor = kubernetes === undefined ? undefined : kubernetesMinor(kubernetes);
  if (!range || minor === undefined) return [];
  if (minor >= range.oldest && minor <= range.newest) return [];
  const message = `Karmada ${karmada} supports kube-apiserver 1.${range.oldest} to 1.${range.newest}, not ${kubernetes}`;
  return [{ reason: 'UnsupportedPair', message }];
}

/**
 * Checks kube-controller-manager against kube-apiserver: it must have the same minor version or be one minor version
 * older, never newer (Kubernetes version skew policy). Unknown versions pass.
 */
export function checkControllerManager(
  apiServer: string,
  controllerManager: string,
): readonly SkewProblem[] {
  const [server, manager] = [kubernetesMinor(apiServer), kubernetesMinor(controllerManager)];
  if (server === undefined || manager === undefined) return [];
  if (manager <= server && manager >= server - 1) return [];
  const message = `kube-controller-manager ${controllerManager} must have the minor version of kube-apiserver ${apiServer}, or be one minor version older`;
  return [{ reason: 'UnsupportedPair', message }];
}
