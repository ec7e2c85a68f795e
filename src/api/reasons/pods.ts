/** Reasons of Pods that do not become ready. */
import { BLOCKED, PROBLEM, reasonTable, rowsIn } from './reason.ts';

/** Conditions of a component whose Pods have a problem. */
const POD_PROBLEM = ['components', ...PROBLEM] as const;

const row = rowsIn(POD_PROBLEM);

/** Containers that cannot be created, or that end. */
const CONTAINER_REASONS = reasonTable([
  row(
    'ImagePullFailed',
    'image',
    'The kubelet cannot pull the image of a container.',
    'Check imageRepository, imageTag and spec.imagePullSecrets.',
  ),
  row(
    'InvalidImageName',
    'spec',
    'The image name of a container is not valid.',
    'Correct imageRepository and imageTag of the component.',
  ),
  row(
    'ImageNotPresent',
    'image',
    'The imagePullPolicy is Never, and the node does not have the image.',
    'Load the image onto the node, or set another imagePullPolicy.',
  ),
  row(
    'ImageOfOtherPlatform',
    'image',
    'The image is for another CPU architecture than that of the node.',
    'Use an image for the architecture of the nodes, or select other nodes.',
  ),
  row(
    'CommandNotFound',
    'image',
    'The image does not contain the program of the component, or it cannot be executed.',
    'Correct imageRepository and imageTag of the component.',
  ),
  row(
    'CrashLoopBackOff',
    'component',
    'A component ends repeatedly. The message has its last words, if they are known to contain no text of others.',
    'Correct what the message names, or read the log with the command in it.',
  ),
  row(
    'OOMKilled',
    'resources',
    'A container used more memory than its limit, and the kernel ended it.',
    'Raise resources.limits.memory of the component, or remove the limit.',
  ),
  row(
    'FlagRejected',
    'flag',
    'A component ends, because it does not accept a flag or feature gate.',
    'Correct the field that the message names.',
  ),
  row(
    'FileMissing',
    'flag',
    'A component ends, because a file that a flag names does not exist in its container.',
    'Mount a volume with the file, or correct the flag.',
  ),
  row(
    'PathNotWritable',
    'flag',
    'A component ends, because it cannot write to a path that a flag names. The root file system of all containers is read-only.',
    'Mount a writable volume, such as an emptyDir, at the path in the message.',
  ),
  row(
    'SidecarFails',
    'spec',
    'A container that is not of the operator ends repeatedly: a sidecar of the spec, or one that an admission webhook adds.',
    'Read its log with the command in the message, and correct it where it is defined.',
  ),
  row(
    'ContainerConfigError',
    'secret',
    'A Secret, ConfigMap or key that a container references does not exist, or its image runs as root.',
    'Create the object that the message names, or correct spec.podSettings.',
  ),
  row(
    'ContainerError',
    'node',
    'The container runtime cannot create or start a container.',
    'Correct the volume mounts or security settings that the message names.',
  ),
]);

/** Pods that are not created, not scheduled, or that their node does not run. */
const PLACEMENT_REASONS = reasonTable([
  row(
    'QuotaExceeded',
    'quota',
    'A ResourceQuota or LimitRange of the Namespace does not allow the Pods.',
    'Raise the quota, lower the resources, or set another priorityClassName: the message names the fields.',
  ),
  rowsIn([...POD_PROBLEM, 'EtcdAdopted'])(
    'PodSecurityRefused',
    'admission',
    'The Pod Security level of the Namespace, or OpenShift, forbids the Pods.',
    'Set the security context in spec.podSettings, or change the level of the Namespace or the SecurityContextConstraints.',
  ),
  row(
    'WebhookRefusesPods',
    'admission',
    'An admission webhook of the host cluster denies the Pods, or does not respond.',
    'Change the policy behind the webhook that the message names, or start its server.',
  ),
  row(
    'PodsRefused',
    'admission',
    'The API server rejects the Pods of a workload, or the Pods of etcd are not created.',
    'Check the Events of the workload, then the admission policies and quotas of the Namespace.',
  ),
  rowsIn(BLOCKED)(
    'PodsNotAllowed',
    'spec',
    'The operator runs with --tenant-pods=Restricted, and the Pods would not meet the restricted Pod Security Standard. It does not create or change them.',
    'Correct the fields in the message: spec.podSettings, or the annotations, volumes and containers in spec.components.',
  ),
  row(
    'Unschedulable',
    'scheduling',
    'No node fits a Pod.',
    'Add capacity, or change resources, tolerations, affinity or node selector.',
  ),
  row(
    'NodeNotReady',
    'node',
    'The node of a Pod does not report that it is ready.',
    'Repair the node, or take it out of the cluster if it is lost.',
  ),
  row(
    'PodEvicted',
    'node',
    'A node ended a Pod, for example because it lacks memory or disk space.',
    'Free resources of the node, or raise the resource requests of the component.',
  ),
  row(
    'PodSandboxFailed',
    'node',
    'A node cannot create the sandbox of a Pod: its network or its container runtime fails.',
    'Check the network plugin and the container runtime of the node.',
  ),
]);

/** Volumes, and probes. */
const START_REASONS = reasonTable([
  row(
    'ClaimNotBound',
    'volume',
    'A Pod waits for a PersistentVolumeClaim (PVC) that is not bound. While its volume is being created, that is no failure.',
    'Provide the StorageClass, or correct spec.components.etcd.local.volumeData.',
  ),
  row(
    'VolumeSourceMissing',
    'secret',
    'A ConfigMap, Secret or key that a volume of a Pod contains does not exist.',
    'Create the object that the message names, or correct the volume.',
  ),
  row(
    'VolumeNotMounted',
    'volume',
    'The kubelet cannot mount a volume of a Pod.',
    'Check the storage server, the CSI driver and the settings of the volume.',
  ),
  row(
    'VolumeNotAttached',
    'volume',
    'A volume cannot be attached to the node of its Pod, for example while another node uses it.',
    'Check the CSI driver, and the node that used the volume before.',
  ),
  row(
    'VolumeNotWritable',
    'volume',
    'The files of an etcd volume do not belong to the user of the container.',
    'Change their owner, use storage that supports fsGroup, or set runAsUser in spec.podSettings.',
  ),
  row(
    'VolumeFull',
    'volume',
    'A component ends, because no space is left on a volume or on the disk of its node.',
    'Free space, or use a larger volume.',
  ),
  row(
    'ProbeRefused',
    'flag',
    'A component rejects the probes of the kubelet, which are anonymous, so its Pods never become ready.',
    'Remove the flag that the message names, or allow anonymous requests to health endpoints.',
  ),
  row(
    'ProbeFails',
    'component',
    'A container runs without becoming ready. That is a failure when there is no progress for too long.',
    'Wait while it starts, or read its log with the command in the message.',
  ),
]);

export const POD_REASONS = reasonTable([
  ...CONTAINER_REASONS,
  ...PLACEMENT_REASONS,
  ...START_REASONS,
]);
