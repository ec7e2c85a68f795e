/** Reasons of the spec: rejected values, blocked versions, and warnings. */
import { BLOCKED, type ConditionReason } from './reason.ts';

export const SPEC_REASONS: readonly ConditionReason[] = [
  {
    reason: 'ValidationError',
    types: ['Ready', 'Stalled'],
    meaning: 'The spec is not valid. The operator changes nothing.',
    action: 'Correct the fields that the message names.',
  },
  {
    reason: 'NameCollision',
    types: ['Ready', 'Stalled'],
    meaning: 'A Karmada that was created earlier in this Namespace uses the same object names.',
    action: 'Create the Karmada under another name.',
  },
  {
    reason: 'DowngradeBlocked',
    types: BLOCKED,
    meaning: 'The spec asks for an older minor version of etcd, Kubernetes or Karmada.',
    action: 'Set the version or image tag back. To return to an older version, restore a snapshot.',
  },
  {
    reason: 'SkippedMinorBlocked',
    types: BLOCKED,
    meaning:
      'The spec skips a minor version of etcd, Kubernetes or Karmada, and the operator has no release in between.',
    action: 'Upgrade one minor version at a time.',
  },
  {
    reason: 'UnknownVersionBlocked',
    types: BLOCKED,
    meaning: 'An image tag changes, but does not begin with a version.',
    action: 'Use an image tag that begins with its version.',
  },
  {
    reason: 'UnsupportedPairBlocked',
    types: BLOCKED,
    meaning: 'The versions of Karmada and kube-apiserver in the spec are not supported together.',
    action: 'Set versions that are supported together; the message names the range.',
  },
  {
    reason: 'UnknownFlagBlocked',
    types: BLOCKED,
    meaning: 'The new Karmada release does not have a flag in extraArgs of a component.',
    action: 'Remove the flag from the field of the spec that the message names.',
  },
  {
    reason: 'UnknownFeatureGateBlocked',
    types: BLOCKED,
    meaning: 'The new Karmada release does not have a feature gate of the spec.',
    action: 'Remove the feature gate from the field of the spec that the message names.',
  },
  {
    reason: 'EtcdKindChanged',
    types: ['Ready', 'Stalled'],
    meaning:
      'The spec changes etcd from local to external or back. The data would stay in the former etcd.',
    action: 'Set spec.components.etcd back, or create another Karmada.',
  },
  {
    reason: 'NameBeginsWithDigit',
    types: ['Warning'],
    meaning:
      'The name of the Karmada begins with a digit, which many Kubernetes versions reject in Service names.',
    action: 'Use a name that begins with a letter.',
  },
  {
    reason: 'DisruptionBudgetBlocksDrain',
    types: ['Warning'],
    meaning: 'A PodDisruptionBudget allows no disruption, so its nodes cannot be drained.',
    action: 'Set more replicas or a lower bound.',
  },
  {
    reason: 'ComponentStopped',
    types: ['Warning'],
    meaning: 'The spec sets 0 replicas, so the component does not run.',
    action: 'Set at least one replica to run the component.',
  },
  {
    reason: 'LoadBalancerClassIgnored',
    types: ['Warning'],
    meaning: 'The field loadBalancerClass has no effect without the Service type LoadBalancer.',
    action: 'Remove the field from spec.components.karmadaAPIServer, or set serviceType.',
  },
  {
    reason: 'ApiEndpointIgnored',
    types: ['Warning'],
    meaning:
      'The field spec.hostCluster.apiEndpoint has no effect without spec.hostCluster.secretRef.',
    action: 'Remove spec.hostCluster.apiEndpoint, or set spec.hostCluster.secretRef.',
  },
  {
    reason: 'PlaintextDownload',
    types: ['Warning'],
    meaning:
      'The CRD archive is downloaded over http without a checksum, so it can be modified in transit.',
    action: 'Use https, or set spec.crdTarball.httpSource.sha256.',
  },
  {
    reason: 'PasswordInUrl',
    types: ['Warning'],
    meaning:
      'A URL of spec.crdTarball.httpSource has a user or a password, which all readers of the Karmada see.',
    action: 'Use spec.crdTarball.secretRef, or a URL without credentials.',
  },
  {
    reason: 'CertificatesOutliveCA',
    types: ['Warning'],
    meaning: 'The field leafCertValidityDays is longer than the validity of the CA.',
    action: 'Set a shorter validity in spec.customCertificate.leafCertValidityDays.',
  },
  {
    reason: 'EvenEtcdMembers',
    types: ['Warning'],
    meaning: 'An even number of etcd members tolerates no more failures than one member less.',
    action: 'Set an odd number in spec.components.etcd.local.replicas.',
  },
  {
    reason: 'FaultyEtcdRelease',
    types: ['Warning'],
    meaning: 'The image of the local etcd is of a release with faults, which the message names.',
    action: 'Set spec.components.etcd.local.imageTag to the release that the message names.',
  },
  {
    reason: 'VolumeKindIgnored',
    types: ['Warning'],
    meaning: 'The field volumeData has a volumeClaim, so hostPath and emptyDir have no effect.',
    action: 'Remove the other volume types from spec.components.etcd.local.volumeData.',
  },
  {
    reason: 'ClaimNameIgnored',
    types: ['Warning'],
    meaning: 'The name in the metadata of the volumeClaim has no effect.',
    action: 'Remove the name from spec.components.etcd.local.volumeData.volumeClaim.metadata.',
  },
  {
    reason: 'EphemeralEtcd',
    types: ['Warning'],
    meaning: 'The etcd data is in an emptyDir. It is lost when a Pod is deleted or its node fails.',
    action: 'Create a new Karmada with a volumeClaim to keep data.',
  },
  {
    reason: 'EtcdBoundToNode',
    types: ['Warning'],
    meaning:
      'The etcd data is in a hostPath. An etcd member that moves to another node starts without its data.',
    action: 'Create a new Karmada with a volumeClaim.',
  },
  {
    reason: 'PlaintextEtcd',
    types: ['Warning'],
    meaning: 'The external etcd uses http, so all data, including Secrets, can be read in transit.',
    action: 'Use https in spec.components.etcd.external.endpoints.',
  },
  {
    reason: 'UnknownVersion',
    types: ['Warning'],
    meaning: 'An image tag does not begin with a version, so the operator cannot check upgrades.',
    action: 'Use an image tag that begins with its version, such as v1.18.2.',
  },
  {
    reason: 'UnsupportedVersions',
    types: ['Warning'],
    meaning: 'The image tags are versions that are not supported together.',
    action: 'Set versions that are supported together; the message names the range.',
  },
  {
    reason: 'MixedVersions',
    types: ['Warning'],
    meaning: 'Karmada components have image tags of different minor versions.',
    action: 'Set the same imageTag for all Karmada components.',
  },
  {
    reason: 'UnknownFeatureGate',
    types: ['Warning'],
    meaning: 'The Karmada version does not know a feature gate, so its components exit at start.',
    action: 'Remove the feature gate from the field of the spec that the message names.',
  },
  {
    reason: 'UnknownFlag',
    types: ['Warning'],
    meaning:
      'The Karmada version of a component does not have a flag, so the component exits at start.',
    action: 'Remove the flag from the field of the spec that the message names.',
  },
];
