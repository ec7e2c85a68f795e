/** Reasons of Pods that do not become ready. */
import { BLOCKED, type ConditionReason, PROBLEM, reasonTable } from './reason.ts';

/** Conditions of a component whose Pods have a problem. */
const POD_PROBLEM = ['components', ...PROBLEM] as const;

const row = <const Name extends string>(
  given: Omit<ConditionReason<Name>, 'types'>,
): ConditionReason<Name> => ({
  ...given,
  types: POD_PROBLEM,
});

/** Containers that cannot be created, or that end. */
const CONTAINER_REASONS = reasonTable([
  row({
    reason: 'ImagePullFailed',
    fault: 'image',
    meaning: 'The kubelet cannot pull the image of a container.',
    action: 'Check imageRepository, imageTag and spec.imagePullSecrets.',
  }),
  row({
    reason: 'InvalidImageName',
    fault: 'spec',
    meaning: 'The image name of a container is not valid.',
    action: 'Correct imageRepository and imageTag of the component.',
  }),
  row({
    reason: 'ImageNotPresent',
    fault: 'image',
    meaning: 'The imagePullPolicy is Never, and the node does not have the image.',
    action: 'Load the image onto the node, or set another imagePullPolicy.',
  }),
  row({
    reason: 'ImageOfOtherPlatform',
    fault: 'image',
    meaning: 'The image is for another CPU architecture than that of the node.',
    action: 'Use an image for the architecture of the nodes, or select other nodes.',
  }),
  row({
    reason: 'CommandNotFound',
    fault: 'image',
    meaning: 'The image does not contain the program of the component, or it cannot be executed.',
    action: 'Correct imageRepository and imageTag of the component.',
  }),
  row({
    reason: 'CrashLoopBackOff',
    fault: 'component',
    meaning:
      'A component ends repeatedly. The message has its last words, if they are known to contain no text of others.',
    action: 'Correct what the message names, or read the log with the command in it.',
  }),
  row({
    reason: 'OOMKilled',
    fault: 'resources',
    meaning: 'A container used more memory than its limit, and the kernel ended it.',
    action: 'Raise resources.limits.memory of the component, or remove the limit.',
  }),
  row({
    reason: 'FlagRejected',
    fault: 'flag',
    meaning: 'A component ends, because it does not accept a flag or feature gate.',
    action: 'Correct the field that the message names.',
  }),
  row({
    reason: 'FileMissing',
    fault: 'flag',
    meaning: 'A component ends, because a file that a flag names does not exist in its container.',
    action: 'Mount a volume with the file, or correct the flag.',
  }),
  row({
    reason: 'PathNotWritable',
    fault: 'flag',
    meaning:
      'A component ends, because it cannot write to a path that a flag names. The root file system of all containers is read-only.',
    action: 'Mount a writable volume, such as an emptyDir, at the path in the message.',
  }),
  row({
    reason: 'SidecarFails',
    fault: 'spec',
    meaning:
      'A container that is not of the operator ends repeatedly: a sidecar of the spec, or one that an admission webhook adds.',
    action: 'Read its log with the command in the message, and correct it where it is defined.',
  }),
  row({
    reason: 'ContainerConfigError',
    fault: 'secret',
    meaning:
      'A Secret, ConfigMap or key that a container references does not exist, or its image runs as root.',
    action: 'Create the object that the message names, or correct spec.podSettings.',
  }),
  row({
    reason: 'ContainerError',
    fault: 'node',
    meaning: 'The container runtime cannot create or start a container.',
    action: 'Correct the volume mounts or security settings that the message names.',
  }),
]);

/** Pods that are not created, not scheduled, or that their node does not run. */
const PLACEMENT_REASONS = reasonTable([
  row({
    reason: 'QuotaExceeded',
    fault: 'quota',
    meaning: 'A ResourceQuota or LimitRange of the Namespace does not allow the Pods.',
    action:
      'Raise the quota, lower the resources, or set another priorityClassName: the message names the fields.',
  }),
  row({
    reason: 'PodSecurityRefused',
    fault: 'admission',
    meaning: 'The Pod Security level of the Namespace, or OpenShift, forbids the Pods.',
    action:
      'Set the security context in spec.podSettings, or change the level of the Namespace or the SecurityContextConstraints.',
  }),
  row({
    reason: 'WebhookRefusesPods',
    fault: 'admission',
    meaning: 'An admission webhook of the host cluster denies the Pods, or does not respond.',
    action: 'Change the policy behind the webhook that the message names, or start its server.',
  }),
  row({
    reason: 'PodsRefused',
    fault: 'admission',
    meaning: 'The API server rejects the Pods of a workload, or the Pods of etcd are not created.',
    action:
      'Check the Events of the workload, then the admission policies and quotas of the Namespace.',
  }),
  {
    reason: 'PodsNotAllowed',
    fault: 'spec',
    types: BLOCKED,
    meaning:
      'The operator runs with --tenant-pods=Restricted, and the Pods would not meet the restricted Pod Security Standard. It does not create or change them.',
    action:
      'Correct the fields in the message: spec.podSettings, or the annotations, volumes and containers in spec.components.',
  },
  row({
    reason: 'Unschedulable',
    fault: 'scheduling',
    meaning: 'No node fits a Pod.',
    action: 'Add capacity, or change resources, tolerations, affinity or node selector.',
  }),
  row({
    reason: 'NodeNotReady',
    fault: 'node',
    meaning: 'The node of a Pod does not report that it is ready.',
    action: 'Repair the node, or take it out of the cluster if it is lost.',
  }),
  row({
    reason: 'PodEvicted',
    fault: 'node',
    meaning: 'A node ended a Pod, for example because it lacks memory or disk space.',
    action: 'Free resources of the node, or raise the resource requests of the component.',
  }),
  row({
    reason: 'PodSandboxFailed',
    fault: 'node',
    meaning:
      'A node cannot create the sandbox of a Pod: its network or its container runtime fails.',
    action: 'Check the network plugin and the container runtime of the node.',
  }),
]);

/** Volumes, and probes. */
const START_REASONS = reasonTable([
  row({
    reason: 'ClaimNotBound',
    fault: 'volume',
    meaning:
      'A Pod waits for a PersistentVolumeClaim (PVC) that is not bound. While its volume is being created, that is no failure.',
    action: 'Provide the StorageClass, or correct spec.components.etcd.local.volumeData.',
  }),
  row({
    reason: 'VolumeSourceMissing',
    fault: 'secret',
    meaning: 'A ConfigMap, Secret or key that a volume of a Pod contains does not exist.',
    action: 'Create the object that the message names, or correct the volume.',
  }),
  row({
    reason: 'VolumeNotMounted',
    fault: 'volume',
    meaning: 'The kubelet cannot mount a volume of a Pod.',
    action: 'Check the storage server, the CSI driver and the settings of the volume.',
  }),
  row({
    reason: 'VolumeNotAttached',
    fault: 'volume',
    meaning:
      'A volume cannot be attached to the node of its Pod, for example while another node uses it.',
    action: 'Check the CSI driver, and the node that used the volume before.',
  }),
  row({
    reason: 'VolumeNotWritable',
    fault: 'volume',
    meaning: 'The files of an etcd volume do not belong to the user of the container.',
    action:
      'Change their owner, use storage that supports fsGroup, or set runAsUser in spec.podSettings.',
  }),
  row({
    reason: 'VolumeFull',
    fault: 'volume',
    meaning: 'A component ends, because no space is left on a volume or on the disk of its node.',
    action: 'Free space, or use a larger volume.',
  }),
  row({
    reason: 'ProbeRefused',
    fault: 'flag',
    meaning:
      'A component rejects the probes of the kubelet, which are anonymous, so its Pods never become ready.',
    action:
      'Remove the flag that the message names, or allow anonymous requests to health endpoints.',
  }),
  row({
    reason: 'ProbeFails',
    fault: 'component',
    meaning:
      'A container runs without becoming ready. That is a failure when there is no progress for too long.',
    action: 'Wait while it starts, or read its log with the command in the message.',
  }),
]);

export const POD_REASONS = reasonTable([
  ...CONTAINER_REASONS,
  ...PLACEMENT_REASONS,
  ...START_REASONS,
]);
