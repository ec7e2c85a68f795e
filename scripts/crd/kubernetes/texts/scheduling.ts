/** Descriptions of the fields of Kubernetes types for the selection of nodes. */
import type { TypeTexts } from '../with-texts.ts';

const EXPRESSION_VALUES =
  'Values to compare with. Required for In and NotIn, not allowed for Exists and DoesNotExist.';

const POD_TERMS = {
  preferredDuringSchedulingIgnoredDuringExecution:
    'Preferences: the scheduler adds the weights of all terms that a node meets. Running Pods do not move.',
} as const;

export const SCHEDULING_TEXTS: TypeTexts = {
  Affinity: {
    nodeAffinity: 'Conditions on the labels of the node.',
    podAffinity: 'Pods that must or should run in the same topology domain, such as the same zone.',
    podAntiAffinity: 'Pods that must not or should not run in the same topology domain.',
  },
  NodeAffinity: {
    ...POD_TERMS,
    requiredDuringSchedulingIgnoredDuringExecution:
      'Conditions that a node must meet. Without such a node the Pod stays Pending. Running Pods do not move.',
  },
  PreferredSchedulingTerm: {
    preference: 'Condition on the node.',
    weight: 'Weight of the condition compared with the other preferences, from 1 to 100.',
  },
  NodeSelectorTerm: {
    matchExpressions: 'Conditions on labels of the node; all must be met.',
    matchFields: 'Conditions on fields of the node; only metadata.name is supported.',
  },
  NodeSelectorRequirement: {
    key: 'Key of the label, or name of the field.',
    operator: 'Comparison: In, NotIn, Exists, DoesNotExist, Gt or Lt. For fields: In or NotIn.',
    values: `${EXPRESSION_VALUES} Gt and Lt take one integer.`,
  },
  NodeSelector: {
    nodeSelectorTerms: 'Terms of which a node must meet at least one.',
  },
  PodAffinity: {
    ...POD_TERMS,
    requiredDuringSchedulingIgnoredDuringExecution:
      'Terms that must all be met. Without such a node the Pod stays Pending. Running Pods do not move.',
  },
  PodAntiAffinity: {
    ...POD_TERMS,
    requiredDuringSchedulingIgnoredDuringExecution:
      'Terms that must all be met: the domain has no Pod that they select. Without such a node the Pod stays Pending.',
  },
  WeightedPodAffinityTerm: {
    podAffinityTerm: 'Pods and the topology domain.',
    weight: 'Weight of the term compared with the other preferences, from 1 to 100.',
  },
  PodAffinityTerm: {
    labelSelector: 'Labels of the Pods. Without a selector the term selects no Pod.',
    matchLabelKeys:
      'Keys of labels whose values must be those of the scheduled Pod, such as pod-template-hash.',
    mismatchLabelKeys: 'Keys of labels whose values must differ from those of the scheduled Pod.',
    namespaceSelector:
      'Labels of the namespaces of the Pods, in addition to namespaces. An empty selector selects all namespaces.',
    namespaces:
      'Names of the namespaces of the Pods. Without namespaces and namespaceSelector: the namespace of the scheduled Pod.',
    topologyKey:
      'Label of nodes whose values define the domains, such as kubernetes.io/hostname or topology.kubernetes.io/zone.',
  },
  LabelSelector: {
    matchExpressions: 'Conditions on labels, in addition to matchLabels; all must be met.',
    matchLabels: 'Labels that an object must have with exactly these values.',
  },
  LabelSelectorRequirement: {
    key: 'Key of the label.',
    operator: 'Comparison: In, NotIn, Exists or DoesNotExist.',
    values: EXPRESSION_VALUES,
  },
  Toleration: {
    effect:
      'Effect of the tolerated taints: NoSchedule, PreferNoSchedule or NoExecute. Empty: all effects.',
    key: 'Key of the tolerated taints. Empty with operator Exists: all taints.',
    operator: 'Equal: the value of the taint must be value. Exists: any value. Defaults to Equal.',
    tolerationSeconds:
      'Time in seconds that the Pod stays on a node with a NoExecute taint. Not set: without a limit.',
    value: 'Value of the tolerated taint, for operator Equal.',
  },
  TopologySpreadConstraint: {
    labelSelector: 'Labels of the Pods that are counted in each domain.',
    matchLabelKeys:
      'Keys of labels whose values must be those of the scheduled Pod; pod-template-hash counts each revision separately.',
    maxSkew: 'Largest permitted difference between the numbers of Pods in two domains, at least 1.',
    minDomains:
      'Number of domains below which a domain without Pods counts as the least filled. Only for DoNotSchedule. Defaults to 1.',
    nodeAffinityPolicy:
      'Honor: only nodes that the Pod may use by affinity and node selector count. Ignore: all nodes. Defaults to Honor.',
    nodeTaintsPolicy:
      'Honor: only nodes whose taints the Pod tolerates count. Ignore: all nodes. Defaults to Ignore.',
    topologyKey:
      'Label of nodes whose values define the domains, such as topology.kubernetes.io/zone.',
    whenUnsatisfiable:
      'DoNotSchedule: the Pod stays Pending rather than exceed maxSkew. ScheduleAnyway: maxSkew is a preference.',
  },
};
