/** Pods that a control plane would have, for dry runs: the admission of the host cluster decides about them. Pure functions. */
import type { Workload } from '../../components/workload.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';

/** Returns a Pod of a workload. Its name differs from those of real Pods. */
export function trialPod({ metadata, spec }: Workload): KubernetesObject {
  const { template } = spec;
  const claims = (spec['volumeClaimTemplates'] ?? []) as readonly {
    readonly metadata: { readonly name: string };
  }[];
  const volumes = [
    ...(template.spec.volumes ?? []),
    ...claims.map(({ metadata: { name } }) => ({
      name,
      persistentVolumeClaim: { claimName: `${metadata.name}-check-${name}` },
    })),
  ];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${metadata.name}-check`,
      ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
      labels: template.metadata.labels,
      ...(template.metadata.annotations && { annotations: template.metadata.annotations }),
    },
    spec: { ...template.spec, ...(volumes.length > 0 && { volumes }) },
  };
}

/** Kinds of refusals, by the words of the API server, with the reason of the condition and what to do. */
const REFUSALS: readonly (readonly [words: RegExp, reason: string, remedy: string])[] = [
  [/exceeded quota/, 'QuotaExceeded', 'raise the quota, or lower the resources of the component'],
  [
    /violates PodSecurity/,
    'PodsRefused',
    'allow these settings in the labels of the namespace, or change extraVolumes, sidecarContainers and spec.podSettings',
  ],
  [
    /PriorityClass|priority class/i,
    'PodsRefused',
    'create the PriorityClass, or set another priorityClassName',
  ],
  [/RuntimeClass/i, 'PodsRefused', 'create the RuntimeClass, or change spec.podSettings'],
  [/admission webhook/, 'PodsRefused', 'change the policy of the webhook, or the Pods'],
];

/** Returns reason and remedy of a refused Pod. @param text of the API server */
export function refusalOf(text: string): { readonly reason: string; readonly remedy: string } {
  const [, reason = 'PodsRefused', remedy = 'correct the setting that the message names'] =
    REFUSALS.find(([words]) => words.test(text)) ?? [];
  return { reason, remedy };
}
