/**
 * Descriptions of the settings that all components have. The CRD repeats them eleven times and must stay small, so one
 * component has the full texts and the others have short ones.
 */

type CommonSetting =
  | 'imageRepository'
  | 'imageTag'
  | 'imagePullPolicy'
  | 'replicas'
  | 'labels'
  | 'annotations'
  | 'resources'
  | 'priorityClassName'
  | 'podDisruptionBudgetConfig'
  | 'minAvailable'
  | 'maxUnavailable'
  | 'tolerations'
  | 'affinity';

export type CommonTexts = Readonly<Record<CommonSetting, string>>;

/** Component with the full descriptions, by the name label of the Pods. */
export const DESCRIBED = 'karmada-apiserver';

export const IN_FULL: CommonTexts = {
  imageRepository:
    'Image without tag. Defaults to the official image, or to the same image name below spec.privateRegistry.registry.',
  imageTag:
    'Image tag. Defaults to the common release of related components, else to the release of this operator version; the operator stores the default here. Set it to upgrade; a newer operator does not change a stored tag.',
  imagePullPolicy: 'Always, IfNotPresent or Never. Defaults to IfNotPresent.',
  replicas: 'Number of Pods.',
  labels: 'Labels of the workload and the Pods. The selector does not change.',
  annotations: 'Annotations of the workload and the Pods.',
  resources: 'Resource requests and limits of the main container.',
  priorityClassName:
    'PriorityClass of the Pods. Resource quotas often allow the default only in kube-system.',
  podDisruptionBudgetConfig: 'PodDisruptionBudget of the Pods. Set exactly one field.',
  minAvailable: 'Minimum number or percentage of available Pods.',
  maxUnavailable: 'Maximum number or percentage of unavailable Pods.',
  tolerations: 'Tolerations of the Pods. A non-empty list replaces the defaults.',
  affinity: 'Affinity of the Pods. Replaces the default.',
};

export const IN_SHORT: CommonTexts = {
  imageRepository: 'Image without tag.',
  imageTag: 'Image tag; set it to upgrade.',
  imagePullPolicy: 'Defaults to IfNotPresent.',
  replicas: '',
  labels: 'Of workload and Pods.',
  annotations: 'Of workload and Pods.',
  resources: 'Of the main container.',
  priorityClassName: 'Of the Pods.',
  podDisruptionBudgetConfig: 'Set one field.',
  minAvailable: 'Number or percentage.',
  maxUnavailable: 'Number or percentage.',
  tolerations: 'Replaces the defaults.',
  affinity: 'Replaces the default.',
};
