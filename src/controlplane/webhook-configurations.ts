/** Renders the webhook configurations that send Karmada API requests to karmada-webhook. */
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
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

const DEFAULTS = {
  operations: ['CREATE', 'UPDATE'],
  timeoutSeconds: 3,
  sideEffects: 'None',
} as const;

type Scoped = Pick<Webhook, 'group' | 'scope'>;

const scoped = (group: string, scope: Webhook['scope']): Scoped => ({
  group: `${group}.karmada.io`,
  scope,
});

const POLICY = scoped('policy', 'Namespaced');
const CLUSTER_POLICY = scoped('policy', 'Cluster');
const WORK = scoped('work', 'Namespaced');
const CLUSTER_WORK = scoped('work', 'Cluster');
const CONFIG = scoped('config', 'Cluster');
const AUTOSCALING = scoped('autoscaling', 'Namespaced');
const NETWORKING = scoped('networking', 'Namespaced');

/** A webhook for a kind, whose path and entry have its name. */
type OfKind = (place: Scoped, kind: string, resource: string, other?: Partial<Webhook>) => Webhook;

const ofKind =
  (verb: 'mutate' | 'validate'): OfKind =>
  (place, kind, resource, other) => ({
    ...DEFAULTS,
    ...place,
    ...{ name: kind, path: `/${verb}-${kind}`, resource },
    ...other,
  });

const mutate = ofKind('mutate');
const validate = ofKind('validate');

const MUTATING: readonly Webhook[] = [
  mutate(POLICY, 'propagationpolicy', 'propagationpolicies'),
  mutate(CLUSTER_POLICY, 'clusterpropagationpolicy', 'clusterpropagationpolicies'),
  mutate(POLICY, 'overridepolicy', 'overridepolicies'),
  mutate(WORK, 'resourcebinding', 'resourcebindings', { operations: ['CREATE'] }),
  mutate(CLUSTER_WORK, 'clusterresourcebinding', 'clusterresourcebindings', {
    operations: ['CREATE'],
  }),
  mutate(WORK, 'work', 'works'),
  mutate(AUTOSCALING, 'federatedhpa', 'federatedhpas', { name: 'autoscaling' }),
  mutate(NETWORKING, 'multiclusterservice', 'multiclusterservices'),
];

const VALIDATING: readonly Webhook[] = [
  validate(POLICY, 'propagationpolicy', 'propagationpolicies'),
  validate(CLUSTER_POLICY, 'clusterpropagationpolicy', 'clusterpropagationpolicies'),
  validate(POLICY, 'overridepolicy', 'overridepolicies'),
  validate(CLUSTER_POLICY, 'clusteroverridepolicy', 'clusteroverridepolicies'),
  validate(CLUSTER_POLICY, 'clustertaintpolicy', 'clustertaintpolicies'),
  validate(POLICY, 'federatedresourcequota', 'federatedresourcequotas'),
  validate(
    CONFIG,
    'resourceinterpreterwebhookconfiguration',
    'resourceinterpreterwebhookconfigurations',
    { name: 'config' },
  ),
  validate(CONFIG, 'resourceinterpretercustomization', 'resourceinterpretercustomizations', {
    // The webhook runs the Lua scripts of the object.
    timeoutSeconds: 10,
  }),
  validate(NETWORKING, 'multiclusteringress', 'multiclusteringresses'),
  validate(NETWORKING, 'multiclusterservice', 'multiclusterservices'),
  validate(AUTOSCALING, 'federatedhpa', 'federatedhpas'),
  validate(AUTOSCALING, 'cronfederatedhpa', 'cronfederatedhpas'),
  validate(WORK, 'resourcebinding', 'resourcebindings', { sideEffects: 'NoneOnDryRun' }),
  validate({ group: '*', scope: '*' }, 'resourcedeletionprotection', '*', {
    operations: ['DELETE'],
    onlyWithLabel: 'resourcetemplate.karmada.io/deletion-protected',
  }),
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
