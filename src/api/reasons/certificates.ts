/** Reasons of certificates and of the certificate authorities (CAs) that sign them. */
import { NO_ACTION, PROBLEM, reasonTable, rowsIn } from './reason.ts';

/** Conditions of certificates that the operator does not issue. */
const ISSUANCE_BLOCKED = ['CertificatesValid', ...PROBLEM] as const;

const notIssued = rowsIn(ISSUANCE_BLOCKED);

export const CERTIFICATE_REASONS = reasonTable([
  rowsIn(['CertificatesValid'])(
    'Valid',
    'none',
    'All certificates of the control plane are valid.',
    NO_ACTION,
  ),
  rowsIn(['CertificatesValid'])(
    'Expired',
    'component',
    'A certificate of the control plane expired. The operator reissues it unless another condition names an obstacle.',
    'Check the other conditions and the operator log.',
  ),
  notIssued(
    'ReadFailed',
    'api',
    'The operator could not read a certificate Secret. It issues no certificate from a failed read.',
    'Check the API server and the RBAC permissions of the operator.',
  ),
  notIssued(
    'BackupDiffers',
    'ca',
    'The certificate Secret and the CA backup Secret have different CAs or ServiceAccount keys.',
    'Copy the values that signed the certificates in use into the other Secret.',
  ),
  notIssued(
    'AuthorityLost',
    'ca',
    'A certificate Secret or the CA backup Secret exists, but neither has a complete CA.',
    'Restore one of the two Secrets from a backup.',
  ),
  notIssued(
    'CertificateSecretTooLarge',
    'ca',
    'A value of a certificate Secret has too many CA certificates or keys, or too large ones. The operator does not read it, and keeps all certificates.',
    'Store only what belongs to the control plane in this value, or restore the Secret from a backup.',
  ),
  notIssued(
    'ExistingDataFound',
    'ca',
    'The CA Secrets do not exist, but the control plane has data. A new CA would make the data inaccessible.',
    'Restore one of the Secrets from a backup, or create a Karmada under another name.',
  ),
  notIssued(
    'ServiceAccountKeyLost',
    'ca',
    'The key that signs ServiceAccount tokens is in no Secret. A new key would invalidate all tokens.',
    'Restore the Secret from a backup.',
  ),
  notIssued(
    'CustomAuthorityUnusable',
    'ca',
    'The Secret of spec.customCertificate.apiServerCACert has no usable CA.',
    'Store the CA certificate in tls.crt and its private key in tls.key.',
  ),
  rowsIn(['Ready', 'HostReachable', 'EtcdReady', 'EtcdHealthy', 'Warning', ...ISSUANCE_BLOCKED])(
    'SecretNotGranted',
    'secret',
    'The spec references a Secret in another Namespace that does not exist, or does not allow this Namespace.',
    'Ask the owner of the Secret for the annotation operator.karmada.io/allowed-namespaces.',
  ),
  rowsIn(['Ready', 'HostReachable', 'EtcdReady', 'EtcdHealthy', 'Warning', ...ISSUANCE_BLOCKED])(
    'SecretOfOtherControlPlane',
    'secret',
    'The spec references a Secret that the operator created for another control plane.',
    'Reference a Secret with separate credentials.',
  ),
  {
    reason: 'IdentityRefused',
    fault: 'component',
    types: ['ComponentIdentities'],
    meaning:
      'A component stays in the group system:masters, because its user lacks the permission that the message names, or because its Pods were not available without the group.',
    action:
      'Correct what the message names. To try again, annotate the Karmada with operator.karmada.io/component-identities=Keep, wait until the condition is gone, and take the annotation off.',
  },
  {
    reason: 'IdentityRoleChanged',
    fault: 'component',
    types: ['ComponentIdentities'],
    meaning:
      'Another client has taken the permission that the message names from the role of a component in the Karmada API. The operator applies the role again.',
    action:
      'Find the client, for example in the audit log of the control plane. If the condition stays, the repair of the object is paused or fails.',
  },
  {
    reason: 'IdentitySwitching',
    fault: 'none',
    types: ['ComponentIdentities'],
    meaning:
      'The certificates of components leave the group system:masters, one after the other. Each component must then be ready for 10 minutes.',
    action: 'Wait until the condition is gone.',
  },
]);
