/** Versions read from image tags, which pairs go together, and which steps an upgrade may take. */

export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** Text after a `-`, such as `rc.1` or etcd's image revision `0`; empty for a release. */
  readonly suffix: string;
}

const VERSION = /^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:-([0-9A-Za-z.-]+))?(?:[+_][0-9A-Za-z._-]+)?$/;

/** The version an image tag (`v1.35.4`, `3.6.6-0`) stands for, or undefined (`latest`, a digest…). */
export function parseVersion(tag: string): Version | undefined {
  const match = VERSION.exec(tag);
  if (match === null) return undefined;
  const [, major, minor, patch, suffix = ''] = match;
  return { major: Number(major), minor: Number(minor), patch: Number(patch), suffix };
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
  return one.major - other.major || one.minor - other.minor || one.patch - other.patch;
}

/** Minor version of Kubernetes 1.x behind a tag, or undefined when the tag does not say. */
export function kubernetesMinor(tag: string): number | undefined {
  const version = parseVersion(tag);
  return version?.major === 1 ? version.minor : undefined;
}
