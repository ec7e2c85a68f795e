/** Problems and warnings about the archive of a release that the spec does not name. Pure functions. */
import type { Problem } from '../api/reasons/problem.ts';
import type { ArchiveSnapshot } from './outcome.ts';
import type { ReleaseSource } from './source.ts';

export const MISSING = 'CrdArchiveMissing';

export const otherPatch = ({ release }: ReleaseSource, used: string): Problem => ({
  reason: 'CrdArchiveOfOtherPatch',
  message: `spec.crdTarball: the operator does not contain the CRDs of Karmada ${release} and uses those of ${used}; set it if ${release} has other CRDs`,
});

export function missingRelease({ url, release }: ReleaseSource): ArchiveSnapshot {
  return {
    problem: {
      reason: MISSING,
      message: `spec.crdTarball: required, because the operator does not contain the CRDs of Karmada ${release}; set httpSource.url, for example to ${url}, or configMapRef`,
    },
  };
}

export const exceedsMemory = (namespace: string, limit: number): Problem => ({
  reason: 'CrdArchiveLimitExceeded',
  message: `spec.crdTarball: the CRD archives of the Karmada objects in namespace ${namespace} need more than ${limit / 2 ** 20} MiB of memory in the operator; use one archive for several of them, or another namespace`,
});

export const UNKNOWN_VERSION: ArchiveSnapshot = {
  problem: {
    reason: 'CrdArchiveUnknown',
    message:
      'spec.components.karmadaControllerManager.imageTag: the tag is not a Karmada release, so the required CRDs are unknown; set spec.crdTarball',
  },
};
