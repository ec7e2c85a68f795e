/** Descriptions of the settings that all components have. */
import { CATALOG } from '../../src/api/component-catalog.ts';

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
  | 'affinity'
  | 'nodeSelector'
  | 'topologySpreadConstraints';

type CommonTexts = Readonly<Record<CommonSetting, string>>;

type Release = (typeof CATALOG)[number]['release'];

/** Default of the tag, by the releases that it follows. */
const TAG_DEFAULTS: Readonly<Record<Release, string>> = {
  etcd: 'the etcd release of this operator version',
  kubernetes:
    'the Kubernetes release of spec.version, else to that of kube-apiserver and kube-controller-manager, else to that of this operator version',
  karmada:
    'spec.version, else to the release that the other Karmada components have in common, else to that of this operator version',
};

/** Effect of a change of the Pod template. */
export const RESTARTS = 'A change restarts the Pods.';
export const RESTARTS_MEMBERS = 'A change restarts the members, one after the other.';

const REPLICAS: Readonly<Record<string, string>> = {
  etcd: 'Number of members, which should be odd: 3 tolerate the loss of one, 5 of two. A change adds or removes one member at a time, while etcd serves.',
  'karmada-apiserver': 'Number of Pods. A change restarts no other Pod.',
  'karmada-scheduler-estimator':
    'Number of Pods for each member cluster. With 0 there is no estimator. A change restarts no other Pod.',
};

const USUAL_REPLICAS =
  'Number of Pods. With 0 the component does not run. A change restarts no other Pod.';

/**
 * Returns the descriptions for one component.
 * @param name value of the label `app.kubernetes.io/name` of its Pods
 * @throws Error if no component has that name
 */
export function commonTexts(name: string): CommonTexts {
  const facts = CATALOG.find((row) => row.name === name);
  if (facts === undefined) throw new Error(`no component has the name ${name}`);
  const restarts = name === 'etcd' ? RESTARTS_MEMBERS : RESTARTS;
  return {
    ...imageTexts(facts.repository, facts.release, restarts),
    ...podTexts(name, restarts),
    ...schedulingTexts(name, restarts),
  };
}

type ImageText = 'imageRepository' | 'imageTag' | 'imagePullPolicy';

function imageTexts(
  repository: string,
  release: Release,
  restarts: string,
): Pick<CommonTexts, ImageText> {
  return {
    imageRepository: `Image without tag. Defaults to ${repository}, or to the same image name below spec.privateRegistry.registry. ${restarts}`,
    imageTag: `Image tag, optionally with a digest after it. Defaults to ${TAG_DEFAULTS[release]}; the operator stores the default here, and a newer operator does not change it. Another release is an upgrade in the order of stages.`,
    imagePullPolicy: `When nodes pull the image: Always, IfNotPresent or Never. Defaults to IfNotPresent. ${restarts}`,
  };
}

type PodText = 'replicas' | 'labels' | 'annotations' | 'resources';

function podTexts(name: string, restarts: string): Pick<CommonTexts, PodText> {
  return {
    replicas: REPLICAS[name] ?? USUAL_REPLICAS,
    labels: `Labels of the workload and the Pods, in addition to those of the operator, which take precedence. The selector does not change. ${restarts}`,
    annotations: `Annotations of the workload and the Pods, in addition to those of the operator. ${restarts}`,
    resources: `CPU and memory of the main container. Defaults to those in spec.podSettings, else to requests of the operator, without limits. ${restarts}`,
  };
}

type SchedulingText = Exclude<CommonSetting, ImageText | PodText>;

/** Components whose templates tolerate the taints of control plane nodes, as those of the Go operator do. */
const ON_CONTROL_PLANE_NODES: ReadonlySet<string> = new Set([
  'karmada-controller-manager',
  'karmada-descheduler',
  'karmada-metrics-adapter',
  'karmada-scheduler',
  'karmada-scheduler-estimator',
  'karmada-webhook',
]);

function schedulingTexts(name: string, restarts: string): Pick<CommonTexts, SchedulingText> {
  const tolerated = ON_CONTROL_PLANE_NODES.has(name) ? 'the taints of control plane nodes' : 'none';
  return {
    priorityClassName: `PriorityClass of the Pods, in the host cluster. Resource quotas, and the API servers of some providers, allow the default only in kube-system. Any other value takes precedence over spec.podSettings. ${restarts}`,
    podDisruptionBudgetConfig:
      'PodDisruptionBudget: how many Pods an eviction, such as the drain of a node, stops at once. Set exactly one field. Without it there is no limit. A change restarts no Pod.',
    minAvailable: 'Number of Pods, or percentage such as 50%, that stay available.',
    maxUnavailable: 'Number of Pods, or percentage such as 25%, that may be unavailable.',
    tolerations: `Taints of nodes that the Pods tolerate. Defaults to those in spec.podSettings, else to ${tolerated}. A list that is not empty replaces the default. ${restarts}`,
    affinity: `Rules for the nodes of the Pods. Defaults to that in spec.podSettings, else to a preference of different nodes for the replicas. ${restarts}`,
    nodeSelector: `Labels that a node must have, with their values. Replaces that in spec.podSettings. Without such a node the Pods stay Pending. ${restarts}`,
    topologySpreadConstraints: `How the Pods spread over nodes or zones. Replaces those in spec.podSettings. labelSelector selects the Pods of the component if it is not set. ${restarts}`,
  };
}
