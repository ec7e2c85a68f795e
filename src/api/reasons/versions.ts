/** Warnings about versions, flags and variables. */
import { reasonTable } from './reason.ts';

export const VERSION_REASONS = reasonTable([
  {
    reason: 'UnknownVersion',
    fault: 'spec',
    types: ['Warning'],
    meaning: 'An image tag does not begin with a version, so the operator cannot check upgrades.',
    action: 'Use an image tag that begins with its version, such as v1.18.2.',
  },
  {
    reason: 'UnsupportedVersions',
    fault: 'spec',
    types: ['Warning'],
    meaning: 'The image tags are versions that are not supported together.',
    action: 'Set versions that are supported together; the message names the range.',
  },
  {
    reason: 'UntestedVersions',
    fault: 'spec',
    types: ['Warning'],
    meaning:
      'The skew policies of Kubernetes and Karmada allow the versions, but this version of the operator is not tested with them.',
    action: 'Use versions that the compatibility page calls tested, or accept the risk.',
  },
  {
    reason: 'MixedVersions',
    fault: 'spec',
    types: ['Warning'],
    meaning: 'Karmada components have image tags of different minor versions.',
    action: 'Set the same imageTag for all Karmada components.',
  },
  {
    reason: 'FileNotMounted',
    fault: 'flag',
    types: ['Warning'],
    meaning:
      'A flag names a file that no volume of the component contains, or that it must write to a read-only volume.',
    action: 'Mount a volume with extraVolumes and extraVolumeMounts, or leave the flag out.',
  },
  {
    reason: 'ServiceSubnetFamily',
    fault: 'spec',
    types: ['Warning'],
    meaning:
      'The range of Services has another IP family than the Pods of the host cluster, so kube-apiserver exits.',
    action:
      'Set spec.components.karmadaAPIServer.serviceSubnet to a range of the IP family of the Pods.',
  },
  {
    reason: 'ProxyIgnored',
    fault: 'spec',
    types: ['Warning'],
    meaning: 'An entry of spec.podSettings sets proxy variables for etcd, which does not get them.',
    action: 'Take etcd out of the components of the entry, or leave out the variables.',
  },
  {
    reason: 'UnknownFeatureGate',
    fault: 'flag',
    types: ['Warning'],
    meaning: 'The Karmada version does not know a feature gate, so its components exit at start.',
    action: 'Remove the feature gate from the field of the spec that the message names.',
  },
  {
    reason: 'UnknownFlag',
    fault: 'flag',
    types: ['Warning'],
    meaning:
      'The Karmada version of a component does not have a flag, so the component exits at start.',
    action: 'Remove the flag from the field of the spec that the message names.',
  },
]);
