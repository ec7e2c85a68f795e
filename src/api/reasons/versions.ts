/** Warnings about versions, flags and variables. */
import { reasonTable, rowsIn } from './reason.ts';

const warning = rowsIn(['Warning']);

export const VERSION_REASONS = reasonTable([
  warning(
    'UnknownVersion',
    'spec',
    'An image tag does not begin with a version, so the operator cannot check upgrades.',
    'Use an image tag that begins with its version, such as v1.18.2.',
  ),
  warning(
    'UnsupportedVersions',
    'spec',
    'The image tags are versions that are not supported together.',
    'Set versions that are supported together; the message names the range.',
  ),
  warning(
    'UntestedVersions',
    'spec',
    'The skew policies of Kubernetes and Karmada allow the versions, but this version of the operator is not tested with them.',
    'Use versions that the compatibility page calls tested, or accept the risk.',
  ),
  warning(
    'MixedVersions',
    'spec',
    'Karmada components have image tags of different minor versions.',
    'Set the same imageTag for all Karmada components.',
  ),
  warning(
    'FileNotMounted',
    'flag',
    'A flag names a file that no volume of the component contains, or that it must write to a read-only volume.',
    'Mount a volume with extraVolumes and extraVolumeMounts, or leave the flag out.',
  ),
  warning(
    'ServiceSubnetFamily',
    'spec',
    'The range of Services has another IP family than the Pods of the host cluster, so kube-apiserver exits.',
    'Set spec.components.karmadaAPIServer.serviceSubnet to a range of the IP family of the Pods.',
  ),
  warning(
    'ProxyIgnored',
    'spec',
    'An entry of spec.podSettings sets proxy variables for etcd, which does not get them.',
    'Take etcd out of the components of the entry, or leave out the variables.',
  ),
  warning(
    'UnknownFeatureGate',
    'flag',
    'The Karmada version does not know a feature gate, so its components exit at start.',
    'Remove the feature gate from the field of the spec that the message names.',
  ),
  warning(
    'UnknownFlag',
    'flag',
    'The Karmada version of a component does not have a flag, so the component exits at start.',
    'Remove the flag from the field of the spec that the message names.',
  ),
]);
