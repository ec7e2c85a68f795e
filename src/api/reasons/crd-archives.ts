/** Reasons of the archive with the CRDs of the control plane. */
import { PROBLEM, reasonTable } from './reason.ts';

export const CRD_ARCHIVE_REASONS = reasonTable([
  {
    reason: 'CrdArchiveMissing',
    fault: 'spec',
    types: PROBLEM,
    meaning:
      'The operator image has no CRDs of this Karmada version, or the object with the CRD archive does not exist.',
    action:
      'Set spec.crdTarball.httpSource.url or configMapRef, or create the object that the message names.',
  },
  {
    reason: 'CrdArchiveOfOtherPatch',
    fault: 'spec',
    types: ['Warning'],
    meaning:
      'The operator image has no CRDs of this Karmada version. The operator uses those of another patch version.',
    action: 'Set spec.crdTarball if the CRDs of the patch versions differ.',
  },
  {
    reason: 'CrdArchiveUnknown',
    fault: 'spec',
    types: PROBLEM,
    meaning:
      'The image tag of karmada-controller-manager names no Karmada version, so the CRDs are not known.',
    action: 'Set spec.crdTarball.',
  },
  {
    reason: 'CrdArchiveUnusable',
    fault: 'operator',
    types: PROBLEM,
    meaning: 'The CRD archive in the operator image cannot be used.',
    action: 'Pull the operator image again, or set spec.crdTarball.',
  },
  {
    reason: 'CrdArchiveDownloadFailed',
    fault: 'network',
    types: PROBLEM,
    meaning: 'The download of the CRD archive failed. The operator retries.',
    action: 'Check the URL, the proxy and the CA bundle in spec.crdTarball.httpSource.',
  },
  {
    reason: 'CrdArchiveUnreadable',
    fault: 'api',
    types: PROBLEM,
    meaning: 'The operator could not read the source of the CRD archive.',
    action: 'Resolve the error in the message, for example a missing RBAC permission.',
  },
  {
    reason: 'CrdArchiveRefused',
    fault: 'spec',
    types: PROBLEM,
    meaning:
      'The CRD archive failed a check of its checksum, structure or content. Nothing of it is used.',
    action:
      'Provide the crds.tar.gz of a Karmada release, or correct spec.crdTarball.httpSource.sha256.',
  },
  {
    reason: 'CrdArchiveLimitExceeded',
    fault: 'spec',
    types: PROBLEM,
    meaning:
      'The CRD archives of the Karmada objects in one namespace need more memory than the operator grants. The Karmada objects that were created first use theirs.',
    action:
      'Use one archive for several Karmada objects, or create the Karmada in another namespace.',
  },
  {
    reason: 'CrdArchiveStoreFailed',
    fault: 'operator',
    types: PROBLEM,
    meaning: 'The operator could not store the CRD archive in its cache directory.',
    action: 'Mount a writable volume with free space at the directory that the message names.',
  },
]);
