/** Schema of `spec.components`. */
import { karmadaAPIServer } from './api-server.ts';
import { claimRetention } from './claim-retention.ts';
import { ETCD_SETTINGS_RULES, etcdSettings } from './etcd-settings.ts';
import { annotations, labels } from './kubernetes/claims.ts';
import { lay } from './kubernetes/overlay.ts';
import { DNS_LABEL, OPTIONAL_DNS_LABEL, OPTIONAL_OBJECT_NAME } from './kubernetes/patterns.ts';
import { kubernetes } from './kubernetes/types.ts';
import { ETCD_RULES, VOLUME_RULES } from './rules.ts';
import type { Schema } from './schema.ts';
import { described, list, object, SHOWN, stringMap, text } from './schema.ts';
import {
  commonSettings,
  component,
  controllers,
  enabled,
  extraArgs,
  featureGates,
  kubernetesGates,
  subjectAltNames,
} from './settings.ts';
import { ENDPOINTS_RULES, IMAGE_RULES } from './syntax.ts';

/** The limit is 99: the flags of each etcd member list all members. */
const ETCD_PODS = { name: 'etcd', replicas: 1, fewest: 1, most: 99 } as const;

const volumeData = object(
  'Storage of each etcd member. Defaults to an 8Gi PVC of the default StorageClass, or to emptyDir if there is none; the operator stores the default here. volumeClaim takes precedence over hostPath and emptyDir. The volume type is immutable after the control plane was Ready once.',
  {
    volumeClaim: object(
      'PVC template, one PVC per etcd member. A larger storage request expands the PVCs without a restart; other changes are blocked. persistentVolumeClaimRetentionPolicy says whether the PVCs are deleted with this object.',
      {
        metadata: object('Labels, annotations and finalizers of the PVCs.', {
          name: text('Ignored. The template name is always etcd-data.', SHOWN),
          namespace: text('Ignored. The PVCs are in the namespace of this object.', SHOWN),
          labels: lay(stringMap('Labels of the PVCs.'), labels()),
          annotations: lay(stringMap('Annotations of the PVCs.'), annotations()),
          finalizers: list('Finalizers of the PVCs, such as that of a backup tool.', {
            type: 'string',
            ...SHOWN,
          }),
        }),
        spec: described(
          'Specification of the PVCs. After the installation only a larger storage request is applied.',
          kubernetes.PersistentVolumeClaimSpec,
        ),
      },
      { required: ['spec'] },
    ),
    hostPath: described(
      'Directory of the node. An etcd member on another node does not have its data. The path is immutable after the control plane was Ready once.',
      kubernetes.HostPathVolumeSource,
    ),
    emptyDir: described(
      'Storage with the lifetime of the Pod. All data is lost when the Pod is deleted.',
      kubernetes.EmptyDirVolumeSource,
    ),
  },
  { 'x-kubernetes-validations': VOLUME_RULES },
);

const externalEtcd = object(
  'Existing etcd. The operator installs the control plane only after it is healthy, and never changes or deletes it. Cannot be switched to or from local.',
  {
    endpoints: list(
      'URLs of the etcd members with ports, such as https://10.0.0.5:2379; either all https or all http. The operator connects to them too. A change is applied after the new URLs pass a health check, and restarts the API servers.',
      { type: 'string', maxLength: 512, ...SHOWN },
      {
        minItems: 1,
        maxItems: 32,
        'x-kubernetes-validations': ENDPOINTS_RULES,
      },
    ),
    secretRef: object(
      'PEM data: client certificate in tls.crt, private key in tls.key, CA of the etcd members in ca.crt. The operator does not modify it.',
      {
        name: text(
          'Name of the Secret. <name>-etcd-cert in the namespace of this object (<name>-karmada-etcd-cert if <name> does not contain "karmada") is mounted directly; any other Secret is copied.',
          OPTIONAL_OBJECT_NAME,
        ),
        namespace: text(
          'Namespace of the Secret. Defaults to that of this object.',
          OPTIONAL_DNS_LABEL,
        ),
      },
    ),
  },
  { required: ['endpoints', 'secretRef'] },
);

const etcd = object(
  'Storage backend of the control plane: exactly one of local and external. Defaults to local.',
  {
    local: object(
      'etcd that the operator installs and maintains. Cannot be switched to or from external.',
      {
        ...commonSettings(ETCD_PODS),
        volumeData,
        persistentVolumeClaimRetentionPolicy: claimRetention,
        replacementGracePeriod: text(
          'Time that an etcd member must be down before the operator replaces it, after the loss of a node or volume, or with corrupt data; a duration such as 30m. Defaults to 10m. A change restarts nothing.',
          { pattern: '^([0-9]+(s|m|h))+$', maxLength: 16, ...SHOWN },
        ),
        ...etcdSettings,
        serverCertSANs: subjectAltNames('the serving certificate of the members'),
        peerCertSANs: subjectAltNames('the peer certificate of the members'),
      },
      { 'x-kubernetes-validations': [...IMAGE_RULES, ...ETCD_SETTINGS_RULES] },
    ),
    external: externalEtcd,
  },
  { 'x-kubernetes-validations': ETCD_RULES },
);

export const components: Schema = object(
  'Settings of the components. Omitted components get defaults; descheduler, search and estimators are only installed if their key is present, even if it is {}. Set enabled: false to disable an add-on.',
  {
    etcd,
    karmadaAPIServer,
    karmadaAggregatedAPIServer: component(
      'karmada-aggregated-apiserver, which serves clusters and their proxies.',
      'karmada-aggregated-apiserver',
      {
        extraArgs,
        certSANs: subjectAltNames('the serving certificate'),
        featureGates,
      },
    ),
    kubeControllerManager: component(
      'kube-controller-manager of the control plane.',
      'kube-controller-manager',
      {
        controllers: controllers('kube-controller-manager', 'namespace or -ttl'),
        extraArgs,
        featureGates: kubernetesGates,
      },
    ),
    karmadaControllerManager: component(
      'karmada-controller-manager, which applies policies.',
      'karmada-controller-manager',
      {
        controllers: controllers('karmada-controller-manager', 'binding or -unifiedAuth'),
        extraArgs,
        featureGates,
      },
    ),
    karmadaScheduler: component('karmada-scheduler, which selects clusters.', 'karmada-scheduler', {
      extraArgs,
      featureGates,
    }),
    karmadaWebhook: component(
      'karmada-webhook, which validates and mutates Karmada objects.',
      'karmada-webhook',
      { extraArgs },
    ),
    karmadaDescheduler: component(
      'karmada-descheduler, which reschedules replicas that a cluster cannot run. Add-on.',
      'karmada-descheduler',
      { enabled: enabled('the descheduler'), extraArgs },
    ),
    karmadaSearch: component(
      'karmada-search, which caches and searches objects of all clusters. Add-on.',
      'karmada-search',
      { enabled: enabled('search'), extraArgs },
    ),
    karmadaSchedulerEstimator: component(
      'karmada-scheduler-estimator, which estimates free capacity; one for each member cluster in push mode. Add-on.',
      'karmada-scheduler-estimator',
      {
        enabled: enabled('the estimators'),
        clusters: list(
          'Names of the member clusters that get an estimator. Defaults to all in push mode. The estimator of a removed name is deleted.',
          { type: 'string', maxLength: 63, ...DNS_LABEL },
          { maxItems: 1024 },
        ),
        extraArgs,
        featureGates,
      },
    ),
    karmadaMetricsAdapter: component(
      'karmada-metrics-adapter, which serves metrics of all clusters.',
      'karmada-metrics-adapter',
      { enabled: enabled('the adapter'), extraArgs },
      { replicas: 2 },
    ),
  },
);
