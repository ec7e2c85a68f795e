/** Schema of `spec.components`. */
import { karmadaAPIServer } from './api-server.ts';
import { claimRetention } from './claim-retention.ts';
import { annotations, labels } from './kubernetes/claims.ts';
import { lay } from './kubernetes/overlay.ts';
import { DNS_LABEL, OPTIONAL_DNS_LABEL, OPTIONAL_OBJECT_NAME } from './kubernetes/patterns.ts';
import { kubernetes } from './kubernetes/types.ts';
import { ETCD_RULES, VOLUME_RULES } from './rules.ts';
import type { Schema } from './schema.ts';
import { described, list, object, stringMap, text } from './schema.ts';
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
import { IN_SHORT, type CommonTexts } from './texts.ts';

/** Every member is told of all others; no etcd has more than a few. */
const ETCD_PODS = { name: 'etcd', replicas: 1, fewest: 1, most: 99 } as const;

const ETCD_TEXTS: CommonTexts = {
  ...IN_SHORT,
  imageTag:
    'Tag of the image; set it to upgrade. Default: the release this operator was built for.',
};

const volumeData = object(
  'Where a member keeps its data. Default: a claim of 8Gi of the default storage class, or an emptyDir when the host cluster has none. A claim outweighs another kind beside it. The kind cannot change once the instance was ready.',
  {
    volumeClaim: object(
      'Template of a claim, one per member. Claims outlive the Karmada unless persistentVolumeClaimRetentionPolicy says otherwise.',
      {
        metadata: object('Labels, annotations and finalizers of the claims.', {
          name: text('Without effect: the template is always called etcd-data.'),
          namespace: text('Without effect: the claims are in the namespace of the Karmada.'),
          labels: lay(stringMap('Labels of the claims.'), labels()),
          annotations: lay(stringMap('Annotations of the claims.'), annotations()),
          finalizers: list('Finalizers of the claims.', { type: 'string' }),
        }),
        spec: described('Specification of the claims.', kubernetes.PersistentVolumeClaimSpec),
      },
      { required: ['spec'] },
    ),
    hostPath: described(
      'Directory of the node. A member that moves to another node starts without its data.',
      kubernetes.HostPathVolumeSource,
    ),
    emptyDir: described(
      'Storage that lives as long as the pod; all data is lost with it.',
      kubernetes.EmptyDirVolumeSource,
    ),
  },
  { 'x-kubernetes-validations': VOLUME_RULES },
);

const externalEtcd = object(
  'An etcd that exists already. Nothing is made before it answers; it is never changed or deleted. Cannot be changed to local later, nor back.',
  {
    endpoints: list(
      'URLs of the members with their ports, such as https://10.0.0.5:2379. The operator must reach them too. All with https, or all with http.',
      { type: 'string', maxLength: 512 },
      {
        minItems: 1,
        maxItems: 32,
        'x-kubernetes-validations': ENDPOINTS_RULES,
      },
    ),
    secretRef: object(
      'Secret with an etcd client in PEM: its certificate in tls.crt, its private key in tls.key, the CA of the members in ca.crt. It is read only.',
      {
        name: text(
          'Name of the Secret. <name>-etcd-cert (<name>-karmada-etcd-cert when the name of the Karmada lacks "karmada") beside the Karmada is mounted as it is, any other is copied.',
          OPTIONAL_OBJECT_NAME,
        ),
        namespace: text(
          'Namespace of the Secret. Default: that of the Karmada.',
          OPTIONAL_DNS_LABEL,
        ),
      },
    ),
  },
  { required: ['endpoints', 'secretRef'] },
);

const etcd = object(
  'Store of the control plane. Default: local.',
  {
    local: object(
      'An etcd run by the operator.',
      {
        ...commonSettings(ETCD_PODS, ETCD_TEXTS),
        volumeData,
        persistentVolumeClaimRetentionPolicy: claimRetention,
        serverCertSANs: subjectAltNames('the serving certificate'),
        peerCertSANs: subjectAltNames('the certificate that members use among each other'),
      },
      { 'x-kubernetes-validations': IMAGE_RULES },
    ),
    external: externalEtcd,
  },
  { 'x-kubernetes-validations': ETCD_RULES },
);

export const components: Schema = object(
  'Settings of the components. Those that are left out get their defaults; the descheduler and search are only installed when their key is present, {} is enough. Add-ons are switched off by enabled: false. What all have in common is described in full at karmadaAPIServer.',
  {
    etcd,
    karmadaAPIServer,
    karmadaAggregatedAPIServer: component(
      'karmada-aggregated-apiserver, which serves clusters and their proxies.',
      'karmada-aggregated-apiserver',
      {
        extraArgs,
        certSANs: subjectAltNames('its serving certificate'),
        featureGates: featureGates('karmada-aggregated-apiserver'),
      },
    ),
    kubeControllerManager: component(
      'The kube-controller-manager of the control plane.',
      'kube-controller-manager',
      {
        controllers: controllers('kube-controller-manager', 'namespace or -ttl'),
        extraArgs,
        featureGates: kubernetesGates('kube-controller-manager'),
      },
    ),
    karmadaControllerManager: component(
      'karmada-controller-manager, which carries policies out.',
      'karmada-controller-manager',
      {
        controllers: controllers('karmada-controller-manager', 'binding or -unifiedAuth'),
        extraArgs,
        featureGates: featureGates('karmada-controller-manager'),
      },
    ),
    karmadaScheduler: component('karmada-scheduler, which chooses clusters.', 'karmada-scheduler', {
      extraArgs,
      featureGates: featureGates('karmada-scheduler'),
    }),
    karmadaWebhook: component(
      'karmada-webhook, which checks objects of Karmada before they are stored.',
      'karmada-webhook',
      { extraArgs },
    ),
    karmadaDescheduler: component(
      'karmada-descheduler, which moves what a cluster cannot run. An add-on.',
      'karmada-descheduler',
      { enabled: enabled('the descheduler'), extraArgs },
    ),
    karmadaSearch: component(
      'karmada-search, which caches and finds objects of all clusters. An add-on.',
      'karmada-search',
      { enabled: enabled('search'), extraArgs },
    ),
    karmadaSchedulerEstimator: component(
      'karmada-scheduler-estimator, which tells how much more fits into a member cluster: one for each member in push mode. An add-on.',
      'karmada-scheduler-estimator',
      {
        enabled: enabled('the estimators'),
        clusters: list(
          'Names of members. Default: all in push mode.',
          { type: 'string', maxLength: 63, ...DNS_LABEL },
          { maxItems: 1024 },
        ),
        extraArgs,
        featureGates: featureGates('karmada-scheduler-estimator'),
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
