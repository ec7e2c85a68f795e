/** Reasons of the condition CertificateRotation (docs/adr/0039-rotation.md). */
import { NO_ACTION, reasonTable, rowsIn } from './reason.ts';

const row = rowsIn(['CertificateRotation']);

export const ROTATION_REASONS = reasonTable([
  row(
    'Preparing',
    'none',
    'The operator makes all components trust the new CA or key. The former one still signs.',
    NO_ACTION,
  ),
  row(
    'Switching',
    'none',
    'The operator replaces all certificates by those of the new CA. All components trust both.',
    NO_ACTION,
  ),
  row(
    'Overlap',
    'none',
    'The new CA or key signs everything. Certificates of the former one remain valid until the overlap is over.',
    NO_ACTION,
  ),
  row('Completing', 'none', 'The operator ends the trust in the former CA or key.', NO_ACTION),
  row(
    'RotationRequestInvalid',
    'spec',
    'An annotation that requests, completes or aborts a rotation is not valid. The operator changes nothing.',
    'Correct the annotation that the message names, or take it off the Karmada.',
  ),
  row(
    'RotationUnsupported',
    'spec',
    'The annotation requests a rotation that this version of the operator does not support. The operator changes nothing.',
    'Take the annotation off the Karmada, or request what the message names.',
  ),
  row(
    'RotationRestartRequired',
    'decision',
    'Pods may have started before their Secrets had the present CAs or keys. The operator does not restart them: nothing is signed by the new one yet, or they are etcd members, or it has restarted them without effect.',
    'Restart the components with the command of the message.',
  ),
  row(
    'RotationRecordInvalid',
    'secret',
    'The record of the rotation in the CA backup Secret is not valid. The operator changes nothing.',
    'Restore the annotation that the message names from a backup of the Secret.',
  ),
  row(
    'RotationNotObserved',
    'api',
    'The operator does not observe the host cluster or a Pod there, so it has no proof for the next step.',
    'Check the API server or Pod that the message names.',
  ),
  row(
    'RotationPaused',
    'decision',
    'A Secret or Pod that the next step changes has the annotation operator.karmada.io/pause-repair.',
    'Remove the annotation from the object that the message names.',
  ),
  row(
    'OtherChangeInProgress',
    'none',
    'An upgrade, a rollback, a backup, a restore or a change of the etcd members is in progress.',
    NO_ACTION,
  ),
  row(
    'ControlPlaneNotReady',
    'none',
    'The control plane is not ready. The rotation continues when it is.',
    'Resolve what the condition Ready names.',
  ),
  row(
    'ConfirmationRequired',
    'decision',
    'Only a user ends the overlap.',
    'Annotate the Karmada as the message says.',
  ),
  row(
    'CustomKeyRequired',
    'secret',
    'All components trust the new CA certificate of the Secret of the custom CA, and the Secret has no private key for it yet.',
    'Store the private key of the new CA in the Secret that the message names.',
  ),
  row(
    'RotationKeyMissing',
    'ca',
    'The CA backup Secret lacks a private key or a certificate that the next step needs.',
    'Restore the Secret from a backup, or abort the rotation with the annotation of the message.',
  ),
  row(
    'ActiveAuthorityUnknown',
    'ca',
    'The active CA or key is neither of the two that the record of the rotation names, or the record is of an earlier phase than the Secrets.',
    'Restore the certificate Secrets from the same backup as the CA backup Secret.',
  ),
]);

/** Reason of the condition CertificateRotation. */
export type RotationReason = (typeof ROTATION_REASONS)[number]['reason'];
