/** Reasons of Pods that do not become ready. */
import { BLOCKED, PROBLEM, type ConditionReason } from './reason.ts';

/** Conditions of a component whose Pods have a problem. */
const POD_PROBLEM = ['components', ...PROBLEM] as const;

export const POD_REASONS: readonly ConditionReason[] = [
  {
    reason: 'ImagePullFailed',
    fault: 'image',
    types: POD_PROBLEM,
    meaning: 'The kubelet cannot pull the image of a container.',
    action: 'Check imageRepository, imageTag and spec.imagePullSecrets.',
  },
  {
    reason: 'InvalidImageName',
    fault: 'spec',
    types: POD_PROBLEM,
    meaning: 'The image name of a container is not valid.',
    action: 'Correct imageRepository and imageTag of the component.',
  },
  {
    reason: 'ImageNotPresent',
    fault: 'image',
    types: POD_PROBLEM,
    meaning: 'The imagePullPolicy is Never, and the node does not have the image.',
    action: 'Load the image onto the node, or set another imagePullPolicy.',
  },
  {
    reason: 'CrashLoopBackOff',
    fault: 'component',
    types: POD_PROBLEM,
    meaning: 'A container exits repeatedly.',
    action: 'Read the log of the container with kubectl logs --previous.',
  },
  {
    reason: 'ContainerConfigError',
    fault: 'secret',
    types: POD_PROBLEM,
    meaning: 'A Secret, ConfigMap or key that the container references does not exist.',
    action: 'Create the object that the Pod references.',
  },
  {
    reason: 'ContainerError',
    fault: 'node',
    types: POD_PROBLEM,
    meaning: 'The kubelet cannot create or start a container.',
    action: 'Check the Events of the Pod, then extraArgs and the extra volumes of the component.',
  },
  {
    reason: 'QuotaExceeded',
    fault: 'quota',
    types: POD_PROBLEM,
    meaning: 'A ResourceQuota of the Namespace does not allow the Pods.',
    action: 'Raise the quota, lower the resources, or set another priorityClassName.',
  },
  {
    reason: 'PodsRefused',
    fault: 'admission',
    types: POD_PROBLEM,
    meaning: 'The API server rejects the Pods of a workload, or the Pods of etcd are not created.',
    action:
      'Check the Events of the workload, then the admission policies and quotas of the Namespace.',
  },
  {
    reason: 'PodsNotAllowed',
    fault: 'spec',
    types: BLOCKED,
    meaning:
      'The operator runs with --tenant-pods=Restricted, and the Pods would not meet the restricted Pod Security Standard. It does not create or change them.',
    action:
      'Correct the fields in the message: spec.podSettings, or the annotations, volumes and containers in spec.components.',
  },
  {
    reason: 'Unschedulable',
    fault: 'scheduling',
    types: POD_PROBLEM,
    meaning: 'No node fits a Pod.',
    action: 'Add capacity, or change resources, tolerations or affinity.',
  },
  {
    reason: 'ClaimNotBound',
    fault: 'volume',
    types: POD_PROBLEM,
    meaning:
      'A Pod has waited for ten seconds for a PersistentVolumeClaim (PVC) that is not bound.',
    action: 'Provide the StorageClass, or correct spec.components.etcd.local.volumeData.',
  },
  {
    reason: 'ProbeFails',
    fault: 'component',
    types: POD_PROBLEM,
    meaning: 'A container has run for one minute without becoming ready.',
    action: 'Read the log of the container with kubectl logs.',
  },
];
