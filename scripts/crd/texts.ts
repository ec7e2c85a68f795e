/**
 * Texts of the settings that all components have. The CRD has them eleven times: in full where most users look first, and
 * in short everywhere else.
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

/** The component, by the name of its pods, whose settings are described in full. */
export const DESCRIBED = 'karmada-apiserver';

export const IN_FULL: CommonTexts = {
  imageRepository:
    'Image without its tag. Default: the official image, or its name below spec.privateRegistry.registry.',
  imageTag:
    'Tag of the image. Default: the release that the components beside it name, else the one this operator was built for. Set it to upgrade: no newer operator moves a stored tag.',
  imagePullPolicy: 'Always, IfNotPresent or Never. Default: IfNotPresent.',
  replicas: 'Number of pods.',
  labels: 'Labels for the workload and its pods. The selector stays as it is.',
  annotations: 'Annotations for the workload and its pods.',
  resources: 'Requests and limits of the main container.',
  priorityClassName:
    'Priority class of the pods. Quotas often allow the default in kube-system only.',
  podDisruptionBudgetConfig:
    'Disruption budget of the pods. Exactly one of its fields is to be set.',
  minAvailable: 'Pods that must stay, as a number or a percentage.',
  maxUnavailable: 'Pods that may be away, as a number or a percentage.',
  tolerations: 'Tolerations of the pods; a list that is not empty replaces the default ones.',
  affinity: 'Affinity of the pods; replaces the default one.',
};

export const IN_SHORT: CommonTexts = {
  imageRepository: 'Image without its tag.',
  imageTag: 'Tag of the image; set it to upgrade.',
  imagePullPolicy: 'Default: IfNotPresent.',
  replicas: 'Number of pods.',
  labels: 'Labels for workload and pods.',
  annotations: 'Annotations for workload and pods.',
  resources: 'Of the main container.',
  priorityClassName: 'Of the pods.',
  podDisruptionBudgetConfig: 'Of the pods.',
  minAvailable: 'Number or percentage.',
  maxUnavailable: 'Number or percentage.',
  tolerations: 'Replace the default ones.',
  affinity: 'Replaces the default one.',
};
