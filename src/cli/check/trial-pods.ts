/** Pods that a control plane would have, for dry runs: the admission of the host cluster decides about them. Pure functions. */
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { podRemedies, settingsField, type PodRemedies } from '../../causes/pod-remedies.ts';
import type { Container, Workload } from '../../components/workload.ts';

/** Returns a Pod of a workload. Its name differs from those of real Pods. */
export function trialPod({ metadata, spec }: Workload): Pod {
  const { template, volumeClaimTemplates: claims = [] } = spec;
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

/** What of a container decides whether an upgrade replaces its Pods. Other fields have defaults of the API server. */
const started = ({ image, command, args, resources }: Container): readonly unknown[] => [
  image,
  command,
  args,
  resources ?? {},
];

/** Whether the Pods of a workload run other programs than before. */
export const startsOthers = (before: Workload, after: Workload): boolean => {
  const [then, now] = [before, after].map(({ spec }) =>
    JSON.stringify(spec.template.spec.containers.map(started)),
  );
  return then !== now;
};

/** What is refused: a Pod, or another object of the control plane. */
type Refused = 'Pod' | 'object';

interface Refusal {
  readonly words: RegExp;
  /** Reason of the condition that would report it. That of another object depends on the object. */
  readonly reason: string;
  readonly remedy: string | keyof PodRemedies;
}

/** Kinds of refusals, by the words of the API server. */
const REFUSALS: readonly Refusal[] = [
  {
    words: /failed quota/,
    reason: 'QuotaExceeded',
    remedy: 'noResources',
  },
  { words: /exceeded quota/, reason: 'QuotaExceeded', remedy: 'quota' },
  {
    words: /insufficient quota to match these scopes: \[\{PriorityClass/,
    reason: 'QuotaExceeded',
    remedy: 'classQuota',
  },
  {
    words: /(?:maximum|minimum) \S+ usage per (?:Container|Pod)/,
    reason: 'QuotaExceeded',
    remedy: 'limits',
  },
  {
    words: /unable to validate against any security context constraint/,
    reason: 'PodSecurityRefused',
    remedy: 'constraints',
  },
  {
    words: /violates PodSecurity/,
    reason: 'PodSecurityRefused',
    remedy:
      'allow these settings in the labels of the namespace, or change extraVolumes, sidecarContainers and spec.podSettings',
  },
  {
    words: /failed calling webhook/,
    reason: 'WebhookRefusesPods',
    remedy: 'start its server, or correct its webhook configuration',
  },
  {
    words: /admission webhook/,
    reason: 'WebhookRefusesPods',
    remedy: 'change the policy of the webhook, or the Pods',
  },
  {
    words: /PriorityClass|priority class/i,
    reason: 'PodsRefused',
    remedy: 'noClass',
  },
  {
    words: /RuntimeClass/i,
    reason: 'PodsRefused',
    remedy: 'create the RuntimeClass, or change spec.podSettings',
  },
  {
    words: /serviceaccount "[^"]{1,253}" not found/,
    reason: 'PodsRefused',
    remedy:
      'wait until Kubernetes has created it in a new namespace, or check kube-controller-manager of the host cluster',
  },
];

/** Any other refusal. */
const OTHER: Omit<Refusal, 'words'> = {
  reason: 'PodsRefused',
  remedy: 'correct the setting that the message names',
};

const OF_OBJECTS: Readonly<Record<string, string>> = {
  WebhookRefusesPods: 'WebhookRefusesObjects',
};

/**
 * Returns reason and remedy of a refusal.
 * @param text of the API server
 * @param component name of the component of the Pod, so that the remedy names its fields
 */
export function refusalOf(
  text: string,
  what: Refused = 'Pod',
  component?: string,
): { readonly reason?: string; readonly remedy: string } {
  const { remedy: given, reason: known } = REFUSALS.find(({ words }) => words.test(text)) ?? OTHER;
  const remedies: Readonly<Record<string, string>> = { ...podRemedies(settingsField(component)) };
  const remedy = remedies[given] ?? given;
  if (what === 'Pod') return { reason: known, remedy };
  const reason = OF_OBJECTS[known];
  return { remedy, ...(reason !== undefined && { reason }) };
}
