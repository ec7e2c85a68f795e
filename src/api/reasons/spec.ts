/** Reasons of the spec: rejected values, blocked versions, and warnings. */
import { BLOCKED, reasonTable, rowsIn } from './reason.ts';

const blocked = rowsIn(BLOCKED, 'blocked-changes-pauses-and-rollouts');
const invalid = rowsIn(['Ready', 'Stalled'], 'find-the-cause');
const warning = rowsIn(['Warning']);

export const SPEC_REASONS = reasonTable([
  invalid(
    'ValidationError',
    'spec',
    'The spec is not valid. The operator changes nothing.',
    'Correct the fields that the message names.',
  ),
  invalid(
    'NameCollision',
    'spec',
    'A Karmada that was created earlier in this Namespace uses the same object names.',
    'Create the Karmada under another name.',
  ),
  blocked(
    'DowngradeBlocked',
    'spec',
    'The spec asks for an older minor version of etcd, Kubernetes or Karmada.',
    'Set the version or image tag back. To return to an older version, restore a snapshot.',
  ),
  blocked(
    'SkippedMinorBlocked',
    'spec',
    'The spec skips a minor version of etcd, Kubernetes or Karmada, and the operator has no release in between.',
    'Upgrade one minor version at a time.',
  ),
  blocked(
    'UnknownVersionBlocked',
    'spec',
    'An image tag changes, but does not begin with a version.',
    'Use an image tag that begins with its version.',
  ),
  blocked(
    'UnsupportedPairBlocked',
    'spec',
    'The versions of Karmada and kube-apiserver in the spec are not supported together.',
    'Set versions that are supported together; the message names the range.',
  ),
  blocked(
    'RemovedValuesBlocked',
    'spec',
    'Objects of the control plane have values that the new Karmada release does not accept any more.',
    'Change the fields that the message names, in the control plane. The operator retries.',
  ),
  blocked(
    'UnknownFlagBlocked',
    'flag',
    'The new Karmada release does not have a flag in extraArgs of a component.',
    'Remove the flag from the field of the spec that the message names.',
  ),
  blocked(
    'UnknownFeatureGateBlocked',
    'flag',
    'The new Karmada release does not have a feature gate of the spec.',
    'Remove the feature gate from the field of the spec that the message names.',
  ),
  invalid(
    'EtcdKindChanged',
    'spec',
    'The spec changes etcd from local to external or back. The data would stay in the former etcd.',
    'Set spec.components.etcd back, or create another Karmada.',
  ),
  warning(
    'NameBeginsWithDigit',
    'spec',
    'The name of the Karmada begins with a digit, which many Kubernetes versions reject in Service names.',
    'Use a name that begins with a letter.',
  ),
  warning(
    'DisruptionBudgetBlocksDrain',
    'spec',
    'A PodDisruptionBudget allows no disruption, so its nodes cannot be drained.',
    'Set more replicas or a lower bound.',
  ),
  warning(
    'ComponentStopped',
    'spec',
    'The spec sets 0 replicas, so the component does not run.',
    'Set at least one replica to run the component.',
  ),
  warning(
    'LoadBalancerClassIgnored',
    'spec',
    'The field loadBalancerClass has no effect without the Service type LoadBalancer.',
    'Remove the field from spec.components.karmadaAPIServer, or set serviceType.',
  ),
  warning(
    'NetworkPolicyNotEnforced',
    'spec',
    'The fields spec.egressCIDRs and spec.monitoring.namespaces have no effect unless spec.networkPolicy is Enforced.',
    'Set spec.networkPolicy to Enforced, or remove these fields.',
  ),
  warning(
    'ApiEndpointIgnored',
    'spec',
    'The field spec.hostCluster.apiEndpoint has no effect without spec.hostCluster.secretRef.',
    'Remove spec.hostCluster.apiEndpoint, or set spec.hostCluster.secretRef.',
  ),
  warning(
    'PlaintextDownload',
    'spec',
    'The CRD archive is downloaded over http without a checksum, so it can be modified in transit.',
    'Use https, or set spec.crdTarball.httpSource.sha256.',
  ),
  warning(
    'PasswordInUrl',
    'spec',
    'A URL of spec.crdTarball.httpSource has a user or a password, which all readers of the Karmada see.',
    'Use spec.crdTarball.secretRef, or a URL without credentials.',
  ),
  warning(
    'CertificatesOutliveCA',
    'ca',
    'The field leafCertValidityDays is longer than the validity of the CA.',
    'Set a shorter validity in spec.customCertificate.leafCertValidityDays.',
  ),
  warning(
    'EvenEtcdMembers',
    'spec',
    'An even number of etcd members tolerates no more failures than one member less.',
    'Set an odd number in spec.components.etcd.local.replicas.',
  ),
  warning(
    'FaultyEtcdRelease',
    'component',
    'The image of the local etcd is of a release with faults, which the message names.',
    'Set spec.components.etcd.local.imageTag to the release that the message names.',
  ),
  warning(
    'VolumeKindIgnored',
    'spec',
    'The field volumeData has a volumeClaim, so hostPath and emptyDir have no effect.',
    'Remove the other volume types from spec.components.etcd.local.volumeData.',
  ),
  warning(
    'ClaimNameIgnored',
    'spec',
    'The name in the metadata of the volumeClaim has no effect.',
    'Remove the name from spec.components.etcd.local.volumeData.volumeClaim.metadata.',
  ),
  warning(
    'EphemeralEtcd',
    'spec',
    'The etcd data is in an emptyDir. It is lost when a Pod is deleted or its node fails.',
    'Create a new Karmada with a volumeClaim to keep data.',
  ),
  warning(
    'EtcdBoundToNode',
    'spec',
    'The etcd data is in a hostPath. An etcd member that moves to another node starts without its data.',
    'Create a new Karmada with a volumeClaim.',
  ),
  warning(
    'PlaintextEtcd',
    'spec',
    'The external etcd uses http, so all data, including Secrets, can be read in transit.',
    'Use https in spec.components.etcd.external.endpoints.',
  ),
]);
