/** Renders the webhook configurations that send Karmada API requests to karmada-webhook. */
import type { KubernetesObject } from '../kubernetes/object.ts';
import { caBundleField, ownLabels, webhookServer, type ControlPlaneInput } from './input.ts';

interface Webhook {
  /** Name of the configuration entry, without `.karmada.io`. */
  readonly name: string;
  readonly path: string;
  readonly operations: readonly string[];
  readonly group: string;
  readonly resource: string;
  readonly scope: 'Namespaced' | 'Cluster' | '*';
  readonly timeoutSeconds: number;
  readonly sideEffects: 'None' | 'NoneOnDryRun';
  /** If set, the webhook receives only objects with this label. */
  readonly onlyWithLabel?: string;
}

const CREATE = ['CREATE'];
const WRITE = ['CREATE', 'UPDATE'];
const DEFAULTS = { operations: WRITE, timeoutSeconds: 3, sideEffects: 'None' } as const;
const POLICY = { ...DEFAULTS, group: 'policy.karmada.io' } as const;
const WORK = { ...DEFAULTS, group: 'work.karmada.io' } as const;
const CONFIG = { ...DEFAULTS, group: 'config.karmada.io' } as const;
const AUTOSCALING = { ...DEFAULTS, group: 'autoscaling.karmada.io' } as const;
const NETWORKING = { ...DEFAULTS, group: 'networking.karmada.io' } as const;
const NAMESPACED = { scope: 'Namespaced' } as const;
const CLUSTER = { scope: 'Cluster' } as const;

const MUTATING: readonly Webhook[] = [
  {
    ...POLICY,
    ...NAMESPACED,
    name: 'propagationpolicy',
    path: '/mutate-propagationpolicy',
    resource: 'propagationpolicies',
  },
  {
    ...POLICY,
    ...CLUSTER,
    name: 'clusterpropagationpolicy',
    path: '/mutate-clusterpropagationpolicy',
    resource: 'clusterpropagationpolicies',
  },
  {
    ...POLICY,
    ...NAMESPACED,
    name: 'overridepolicy',
    path: '/mutate-overridepolicy',
    resource: 'overridepolicies',
  },
  {
    ...WORK,
    ...NAMESPACED,
    name: 'resourcebinding',
    path: '/mutate-resourcebinding',
    resource: 'resourcebindings',
    operations: CREATE,
  },
  {
    ...WORK,
    ...CLUSTER,
    name: 'clusterresourcebinding',
    path: '/mutate-clusterresourcebinding',
    resource: 'clusterresourcebindings',
    operations: CREATE,
  },
  { ...WORK, ...NAMESPACED, name: 'work', path: '/mutate-work', resource: 'works' },
  {
    ...AUTOSCALING,
    ...NAMESPACED,
    name: 'autoscaling',
    path: '/mutate-federatedhpa',
    resource: 'federatedhpas',
  },
  {
    ...NETWORKING,
    ...NAMESPACED,
    name: 'multiclusterservice',
    path: '/mutate-multiclusterservice',
    resource: 'multiclusterservices',
  },
];

const VALIDATING: readonly Webhook[] = [
  {
    ...POLICY,
    ...NAMESPACED,
    name: 'propagationpolicy',
    path: '/validate-propagationpolicy',
    resource: 'propagationpolicies',
  },
  {
    ...POLICY,
    ...CLUSTER,
    name: 'clusterpropagationpolicy',
    path: '/validate-clusterpropagationpolicy',
    resource: 'clusterpropagationpolicies',
  },
  {
    ...POLICY,
    ...NAMESPACED,
    name: 'overridepolicy',
    path: '/validate-overridepolicy',
    resource: 'overridepolicies',
  },
  {
    ...POLICY,
    ...CLUSTER,
    name: 'clusteroverridepolicy',
    path: '/validate-clusteroverridepolicy',
    resource: 'clusteroverridepolicies',
  },
  {
    ...POLICY,
    ...CLUSTER,
    name: 'clustertaintpolicy',
    path: '/validate-clustertaintpolicy',
    resource: 'clustertaintpolicies',
  },
  {
    ...POLICY,
    ...NAMESPACED,
    name: 'federatedresourcequota',
    path: '/validate-federatedresourcequota',
    resource: 'federatedresourcequotas',
  },
  {
    ...CONFIG,
    ...CLUSTER,
    name: 'config',
    path: '/validate-resourceinterpreterwebhookconfiguration',
    resource: 'resourceinterpreterwebhookconfigurations',
  },
  {
    ...CONFIG,
    ...CLUSTER,
    name: 'resourceinterpretercustomization',
    path: '/validate-resourceinterpretercustomization',
    resource: 'resourceinterpretercustomizations',
    // The webhook runs the Lua scripts of the object.
    timeoutSeconds: 10,
  },
  {
    ...NETWORKING,
    ...NAMESPACED,
    name: 'multiclusteringress',
    path: '/validate-multiclusteringress',
    resource: 'multiclusteringresses',
  },
  {
    ...NETWORKING,
    ...NAMESPACED,
    name: 'multiclusterservice',
    path: '/validate-multiclusterservice',
    resource: 'multiclusterservices',
  },
  {
    ...AUTOSCALING,
    ...NAMESPACED,
    name: 'federatedhpa',
    path: '/validate-federatedhpa',
    resource: 'federatedhpas',
  },
  {
    ...AUTOSCALING,
    ...NAMESPACED,
    name: 'cronfederatedhpa',
    path: '/validate-cronfederatedhpa',
    resource: 'cronfederatedhpas',
  },
  {
    ...WORK,
    ...NAMESPACED,
    name: 'resourcebinding',
    path: '/validate-resourcebinding',
    resource: 'resourcebindings',
    sideEffects: 'NoneOnDryRun',
  },
  {
    ...DEFAULTS,
    name: 'resourcedeletionprotection',
    path: '/validate-resourcedeletionprotection',
    operations: ['DELETE'],
    group: '*',
    resource: '*',
    scope: '*',
    onlyWithLabel: 'resourcetemplate.karmada.io/deletion-protected',
  },
];

/**
 * Renders both webhook configurations of the control plane. They fail closed, so the operator applies
 * them only after the webhook server is ready.
 */
export function webhookConfigurations(input: ControlPlaneInput): readonly KubernetesObject[] {
  return [
    configuration('MutatingWebhookConfiguration', 'mutating-config', MUTATING, input),
    configuration('ValidatingWebhookConfiguration', 'validating-config', VALIDATING, input),
  ];
}

function configuration(
  kind: string,
  name: string,
  webhooks: readonly Webhook[],
  input: ControlPlaneInput,
): KubernetesObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: {
      name,
      labels: { app: 'karmada-webhook', ...ownLabels(input, 'karmada-webhook') },
    },
    webhooks: webhooks.map((webhook) => entry(webhook, input)),
  };
}

function entry(webhook: Webhook, input: ControlPlaneInput): object {
  const { onlyWithLabel } = webhook;
  const expression = { key: onlyWithLabel, operator: 'Exists' };
  return {
    name: `${webhook.name}.karmada.io`,
    clientConfig: {
      url: `${webhookServer(input)}${webhook.path}`,
      caBundle: caBundleField(input),
    },
    rules: [
      {
        operations: webhook.operations,
        apiGroups: [webhook.group],
        apiVersions: ['*'],
        resources: [webhook.resource],
        scope: webhook.scope,
      },
    ],
    ...(onlyWithLabel && { objectSelector: { matchExpressions: [expression] } }),
    failurePolicy: 'Fail',
    sideEffects: webhook.sideEffects,
    admissionReviewVersions: ['v1'],
    timeoutSeconds: webhook.timeoutSeconds,
  };
}
