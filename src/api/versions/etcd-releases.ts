/** Known faults of etcd releases, for warnings about the image of a local etcd. */
import satisfies from 'semver/functions/satisfies.js';
import { formatVersion, productVersion } from './versions.ts';

interface EtcdFault {
  /** What an etcd of these releases does, as the end of a sentence that starts with the release. */
  readonly effect: string;
  /** Affected releases as a semver range, from the changelogs of etcd 3.5 and 3.6. */
  readonly releases: string;
}

/** Faults that can stop a control plane or its repair. Faults of requests that no control plane sends are left out. */
const FAULTS: readonly EtcdFault[] = [
  { effect: 'can bring removed members back when upgraded to 3.6', releases: '<3.5.26' },
  {
    effect: 'can return stale data after its process was paused',
    releases: '<3.5.28 || >=3.6.0 <3.6.9',
  },
  {
    effect: 'accepts no new member while another member is down',
    releases: '<3.5.30 || >=3.6.0 <3.6.11',
  },
];

/** Releases without these faults, known as images of the Kubernetes registry. No upgrade may skip a minor version. */
const RECOMMENDED = { before36: '3.5.33', since36: '3.6.14' } as const;

export interface FaultyRelease {
  /** Release of the image tag, such as `3.6.6`. */
  readonly release: string;
  /** Effects of the faults; at least one. */
  readonly effects: readonly string[];
  /** Release without the faults. */
  readonly recommended: string;
}

/**
 * Returns the known faults of the etcd release in an image tag. Returns undefined if there are none, or if the tag does
 * not start with a version.
 * @param imageTag such as `3.6.6-0`, with or without a digest
 */
export function faultsOfEtcd(imageTag: string): FaultyRelease | undefined {
  const version = productVersion('etcd', imageTag);
  if (!version) return undefined;
  const release = formatVersion(version).slice(1);
  const faults = FAULTS.filter(({ releases }) => satisfies(release, releases));
  if (faults.length === 0) return undefined;
  const recommended = satisfies(release, '<3.6.0') ? RECOMMENDED.before36 : RECOMMENDED.since36;
  return { release, effects: faults.map(({ effect }) => effect), recommended };
}
