/** Reasons of the archive with the CRDs of the control plane. */
import { PROBLEM, reasonTable, rowsIn } from './reason.ts';

const problem = rowsIn(PROBLEM);

export const CRD_ARCHIVE_REASONS = reasonTable([
  problem(
    'CrdArchiveMissing',
    'spec',
    'The operator image has no CRDs of this Karmada version, or the object with the CRD archive does not exist.',
    'Set spec.crdTarball.httpSource.url or configMapRef, or create the object that the message names.',
  ),
  rowsIn(['Warning'])(
    'CrdArchiveOfOtherPatch',
    'spec',
    'The operator image has no CRDs of this Karmada version. The operator uses those of another patch version.',
    'Set spec.crdTarball if the CRDs of the patch versions differ.',
  ),
  problem(
    'CrdArchiveUnknown',
    'spec',
    'The image tag of karmada-controller-manager names no Karmada version, so the CRDs are not known.',
    'Set spec.crdTarball.',
  ),
  problem(
    'CrdArchiveUnusable',
    'operator',
    'The CRD archive in the operator image cannot be used.',
    'Pull the operator image again, or set spec.crdTarball.',
  ),
  problem(
    'CrdArchiveDownloadFailed',
    'network',
    'The download of the CRD archive failed. The operator retries.',
    'Check the URL, the proxy and the CA bundle in spec.crdTarball.httpSource.',
  ),
  problem(
    'CrdArchiveUnreadable',
    'api',
    'The operator could not read the source of the CRD archive.',
    'Resolve the error in the message, for example a missing RBAC permission.',
  ),
  problem(
    'CrdArchiveRefused',
    'spec',
    'The CRD archive failed a check of its checksum, structure or content. Nothing of it is used.',
    'Provide the crds.tar.gz of a Karmada release, or correct spec.crdTarball.httpSource.sha256.',
  ),
  problem(
    'CrdArchiveLimitExceeded',
    'spec',
    'The CRD archives of the Karmada objects in one namespace need more memory than the operator grants. The Karmada objects that were created first use theirs.',
    'Use one archive for several Karmada objects, or create the Karmada in another namespace.',
  ),
  problem(
    'CrdArchiveStoreFailed',
    'operator',
    'The operator could not store the CRD archive in its cache directory.',
    'Mount a writable volume with free space at the directory that the message names.',
  ),
]);
