/** Schema of `spec.components`. */
import { externalEndpoint } from '../../src/api/syntax.ts';
import { claimRetention } from './claim-retention.ts';
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
  kubernetes,
  kubernetesGates,
  subjectAltNames,
} from './settings.ts';

const volumeData = object(
  'Where a member keeps its data. Default: a claim of 8Gi of the default storage class, or an emptyDir when the host cluster has none. A claim outweighs another kind beside it. The kind cannot change once the instance was ready.',
  {
    volumeClaim: object(
      'Template of a claim, one per member. Claims outlive the Karmada unless persistentVolumeClaimRetentionPolicy says otherwise.',
      {
        metadata: object('Labels, annotations and finalizers of the claims.', {
          name: text('Without effect: the template is always called etcd-data.'),
          namespace: text('Without effect: the claims are in the namespace of the Karmada.'),
          labels: stringMap('Labels of the claims.'),
          annotations: stringMap('Annotations of the claims.'),
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
      { type: 'string' },
      {
        minItems: 1,
      },
    ),
    secretRef: object(
      'Secret with an etcd client in PEM: its certificate in tls.crt, its private key in tls.key, the CA of the members in ca.crt. It is read only.',
      {
        name: text(
          'Name of the Secret. <name>-etcd-cert (<name>-karmada-etcd-cert when the name of the Karmada lacks "karmada") beside the Karmada is mounted as it is, any other is copied.',
          { maxLength: 253 },
        ),
        namespace: text('Namespace of the Secret. Default: that of the Karmada.'),
      },
    ),
  },
  { required: ['endpoints', 'secretRef'] },
);

const etcd = object(
  'Store of the control plane. Default: local.',
  {
    local: object('An etcd run by the operator.', {
      ...commonSettings(1, 1, 'the release this operator was built for'),
      volumeData,
      persistentVolumeClaimRetentionPolicy: claimRetention,
      serverCertSANs: subjectAltNames('the serving certificate'),
      peerCertSANs: subjectAltNames('the certificate that members use among each other'),
    }),
    external: externalEtcd,
  },
  { 'x-kubernetes-validations': ETCD_RULES },
);

const karmadaAPIServer = component(
  'The kube-apiserver of the control plane.',
  {
    serviceSubnet: text(
      'Range of the cluster IPs inside the control plane. Default: 10.96.0.0/12.',
    ),
    serviceType: text(
      'Type of its Service. A remote host cluster needs NodePort or LoadBalancer.',
      {
        default: 'ClusterIP',
        enum: ['ClusterIP', 'NodePort', 'LoadBalancer'],
      },
    ),
    loadBalancerClass: text(
      'Class of the load balancer, such as internal-vip or example.com/internal-vip. Only with type LoadBalancer.',
    ),
    externalEndpoint: text(
      'Name or address, optionally with a port, by which its users reach it, such as that of an ingress which passes TLS on. It goes into the serving certificate, the kubeconfig of the administrator and the information for clusters that register. Default port: 443. Default endpoint: that of its Service.',
      { pattern: externalEndpoint.pattern, maxLength: 260 },
    ),
    serviceAnnotations: stringMap('Annotations of its Service.'),
    extraArgs,
    extraVolumes: list('Volumes added to its pods.', kubernetes.Volume),
    extraVolumeMounts: list('Mounts added to its main container.', kubernetes.VolumeMount),
    certSANs: subjectAltNames('its serving certificate'),
    featureGates: kubernetesGates('kube-apiserver'),
    sidecarContainers: list('Containers added to its pods.', kubernetes.Container),
  },
  1,
  1,
);

export const components: Schema = object(
  'Settings of the components. Those that are left out get their defaults; the descheduler and search are only installed when their key is present, {} is enough. Add-ons are switched off by enabled: false.',
  {
    etcd,
    karmadaAPIServer,
    karmadaAggregatedAPIServer: component(
      'karmada-aggregated-apiserver, which serves clusters and their proxies.',
      {
        extraArgs,
        certSANs: subjectAltNames('its serving certificate'),
        featureGates: featureGates('karmada-aggregated-apiserver'),
      },
    ),
    kubeControllerManager: component('The kube-controller-manager of the control plane.', {
      controllers: controllers('kube-controller-manager', 'namespace or -ttl'),
      extraArgs,
      featureGates: kubernetesGates('kube-controller-manager'),
    }),
    karmadaControllerManager: component('karmada-controller-manager, which carries policies out.', {
      controllers: controllers('karmada-controller-manager', 'binding or -unifiedAuth'),
      extraArgs,
      featureGates: featureGates('karmada-controller-manager'),
    }),
    karmadaScheduler: component('karmada-scheduler, which chooses clusters.', {
      extraArgs,
      featureGates: featureGates('karmada-scheduler'),
    }),
    karmadaWebhook: component(
      'karmada-webhook, which checks objects of Karmada before they are stored.',
      { extraArgs },
    ),
    karmadaDescheduler: component(
      'karmada-descheduler, which moves what a cluster cannot run. An add-on.',
      { enabled: enabled('the descheduler'), extraArgs },
    ),
    karmadaSearch: component(
      'karmada-search, which caches and finds objects of all clusters. An add-on.',
      { enabled: enabled('search'), extraArgs },
    ),
    karmadaSchedulerEstimator: component(
      'karmada-scheduler-estimator, which tells how much more fits into a member cluster: one for each member in push mode. An add-on.',
      {
        enabled: enabled('the estimators'),
        clusters: list('Names of members. Default: all in push mode.', {
          type: 'string',
          maxLength: 63,
        }),
        extraArgs,
        featureGates: featureGates('karmada-scheduler-estimator'),
      },
    ),
    karmadaMetricsAdapter: component(
      'karmada-metrics-adapter, which serves metrics of all clusters.',
      { enabled: enabled('the adapter'), extraArgs },
      2,
    ),
  },
);
