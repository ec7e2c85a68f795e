/** Versions from image tags, supported version pairs, and allowed upgrade steps. */
import { keysOf } from '../../kubernetes/objects/records.ts';
import type { SemVer } from 'semver';
import parse from 'semver/functions/parse.js';
import type { Versions } from '../karmada.ts';
import { KUBEADM_ETCD, TESTED_ETCD } from '../releases/etcd-images.ts';
import {
  OLDEST_KARMADA_MINOR,
  OLDEST_KUBERNETES_MINOR,
  releaseOfMinor,
  type KarmadaRelease,
} from '../releases/releases.ts';

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
 * Versions that a product can have. Tags of private builds, such as one tag for the images of all products, are no versions.
 * Published tags of Karmada and Kubernetes begin with `v`; without it, only versions in use are believed.
 */
const PLAUSIBLE: Readonly<
  Record<keyof Versions, (version: Version, isPublished: boolean) => boolean>
> = {
  etcd: ({ major }) => major === 3,
  kubernetes: ({ major, minor }) => major === 1 && minor >= 20,
  karmada: ({ major, minor }, isPublished) =>
    isPublished || (major === 1 && minor >= OLDEST_KARMADA_MINOR),
};

/** Parses the version of an image tag of a product; undefined for a tag that cannot be one of its versions. */
export function productVersion(product: keyof Versions, tag: string): Version | undefined {
  const version = parseVersion(tag);
  return version && PLAUSIBLE[product](version, tag.startsWith('v')) ? version : undefined;
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
  return productVersion('kubernetes', tag)?.minor;
}

/** Formats a version for status and messages as `v1.17.1`; for etcd, callers remove the `v`. */
export function formatVersion(version: Version): string {
  return `v${version.major}.${version.minor}.${version.patch}`;
}

/** Returns the table of the minor version of a Karmada tag, or undefined if the operator has none. */
export function karmadaReleaseOf(tag: string): KarmadaRelease | undefined {
  const version = productVersion('karmada', tag);
  return version && releaseOfMinor(version);
}

/**
 * Returns the Kubernetes minor versions that are allowed with a Karmada release, or undefined if they are unknown. Version
 * skew of the client libraries allows one minor version before and after them, and the list of the release older ones.
 */
export function supportedKubernetes(
  karmadaTag: string,
): { readonly oldest: number; readonly newest: number } | undefined {
  const release = karmadaReleaseOf(karmadaTag);
  if (release === undefined) return undefined;
  const [oldest, newest] = release.kubernetes.listed;
  return {
    oldest: Math.max(OLDEST_KUBERNETES_MINOR, Math.min(oldest, release.kubernetesMinor - 1)),
    newest: Math.max(newest, release.kubernetesMinor + 1),
  };
}

/**
 * `tested`: tests of this operator run the versions; `allowed`: the skew policies of Kubernetes and Karmada permit them;
 * `blocked`: they forbid them; `unknown`: this version of the operator does not know them.
 */
export type Support = 'tested' | 'allowed' | 'blocked' | 'unknown';

/** Returns the support of a Karmada release together with an API server version. */
export function supportOf(karmada: string, kubernetes: string): Support {
  const minor = kubernetesMinor(kubernetes);
  if (isTooOld(karmada) || (minor ?? Infinity) < OLDEST_KUBERNETES_MINOR) return 'blocked';
  const range = supportedKubernetes(karmada);
  if (range === undefined || minor === undefined) return 'unknown';
  if (minor < range.oldest || minor > range.newest) return 'blocked';
  return karmadaReleaseOf(karmada)?.kubernetes.tested.includes(minor) ? 'tested' : 'allowed';
}

/** Whether the operator does not support a Karmada release any more. */
function isTooOld(karmada: string): boolean {
  const version = productVersion('karmada', karmada);
  return version !== undefined && isBefore(version, OLDEST_KARMADA_MINOR);
}

/** Returns the support of an etcd image tag: allowed are the minor versions that kubeadm uses. */
export function supportOfEtcd(tag: string): Support {
  const version = productVersion('etcd', tag);
  if (version === undefined) return 'unknown';
  if (TESTED_ETCD.includes(version.minor)) return 'tested';
  const used = Object.values(KUBEADM_ETCD).map((image) => parseVersion(image)?.minor ?? 0);
  if (used.includes(version.minor)) return 'allowed';
  return version.minor < Math.min(...used) ? 'blocked' : 'unknown';
}

const isBefore = ({ major, minor }: Version, oldest: number): boolean =>
  major < 1 || (major === 1 && minor < oldest);

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

/** Names of the parts in texts for users, in their order. */
export const VERSION_SUBJECTS = {
  karmada: 'Karmada',
  kubernetes: 'Kubernetes',
  etcd: 'etcd',
} as const;

/** Version change of one part. */
export interface MovedVersion {
  readonly subject: keyof Versions;
  readonly before: string;
  readonly after: string;
}

/** Returns the versions that are known on both sides and differ. */
export function movedVersions(from: Versions, to: Versions): readonly MovedVersion[] {
  return keysOf(SUBJECTS).flatMap((subject) => {
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
    checkStep(subject, before, after),
  );
  return [...steps, ...checkPair(to.karmada, to.kubernetes)];
}

function checkStep(product: keyof Versions, from: string, to: string): readonly SkewProblem[] {
  const subject = SUBJECTS[product];
  const [before, after] = [productVersion(product, from), productVersion(product, to)];
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

/** Checks whether a Karmada release may run with an API server version; unknown versions pass. */
export function checkPair(
  karmada: string | undefined,
  kubernetes: string | undefined,
): readonly SkewProblem[] {
  if (karmada === undefined || kubernetes === undefined) return [];
  if (supportOf(karmada, kubernetes) !== 'blocked') return [];
  return [{ reason: 'UnsupportedPair', message: blockedText(karmada, kubernetes) }];
}

function blockedText(karmada: string, kubernetes: string): string {
  if (isTooOld(karmada))
    return `Karmada ${karmada} is not supported; the oldest supported release is v1.${OLDEST_KARMADA_MINOR}`;
  const range = supportedKubernetes(karmada);
  if (range === undefined)
    return `kube-apiserver ${kubernetes} is not supported; the oldest supported version is v1.${OLDEST_KUBERNETES_MINOR}`;
  return `Karmada ${karmada} supports kube-apiserver 1.${range.oldest} to 1.${range.newest}, not ${kubernetes}`;
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
