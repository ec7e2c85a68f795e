/** Instances that the tests of this folder render. */
import { keysInstalled, OPTIONAL_COMPONENTS } from '../../api/component-catalog.ts';
import { defaultSpec } from '../../api/defaults/defaults.ts';
import type { KarmadaSpec, PodSettings } from '../../api/karmada.ts';
import type { CommonSettings } from '../../api/settings.ts';
import { recordOf } from '../../kubernetes/objects/records.ts';
import type { RenderInput } from '../component.ts';

const HOST = { defaultStorageClass: false };

export function inputOf(
  spec: KarmadaSpec,
  name = 'demo',
  namespace = 'karmada-system',
): RenderInput {
  return { name, namespace, spec: defaultSpec(spec, HOST), certificatesHash: {} };
}

/** What a user gets who writes `spec: {}` on a host without a default storage class. */
export const MINIMAL = inputOf({});

/** Every field set that all components share; `mark` tells the components apart. */
function everything(mark: string): CommonSettings {
  return {
    imageRepository: `registry.example.com:5000/${mark}`,
    imageTag: `v1.0.0-${mark}`,
    imagePullPolicy: 'Always',
    replicas: 3,
    labels: { 'example.com/label': `label-of-${mark}` },
    annotations: { 'example.com/annotation': `annotation of ${mark}` },
    resources: { limits: { memory: '2Gi' }, requests: { cpu: '250m', memory: '1Gi' } },
    priorityClassName: `priority-${mark}`,
    podDisruptionBudgetConfig: { minAvailable: 2 },
    tolerations: [{ key: `taint-${mark}`, operator: 'Equal', value: 'yes', effect: 'NoSchedule' }],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: `node-${mark}`, operator: 'In', values: ['a', 'b'] }] },
          ],
        },
      },
    },
  };
}

export const FULL_SPEC: KarmadaSpec = {
  hostCluster: { networking: { dnsDomain: 'k8s.example.org' } },
  featureGates: { MultiClusterService: true, Failover: true, PropagateDeps: false },
  monitoring: { clientCertificate: true },
  imagePullSecrets: [{ name: 'registry-credentials' }, { name: 'mirror.example' }],
  components: {
    // A component that is added gets its goldens without a line here.
    ...recordOf(OPTIONAL_COMPONENTS.map(({ key, suffix }) => [key, everything(suffix)] as const)),
    etcd: {
      local: {
        ...everything('etcd'),
        volumeData: {
          volumeClaim: {
            metadata: {
              labels: { 'example.com/backup': 'nightly' },
              annotations: { 'example.com/owner': 'team a' },
              finalizers: ['example.com/snapshot', 'example.com/snapshot'],
            },
            spec: {
              accessModes: ['ReadWriteOnce'],
              storageClassName: 'fast',
              resources: { requests: { storage: '10Gi' } },
            },
          },
        },
        replacementGracePeriod: '20m',
        serverCertSANs: ['etcd.example.com'],
        peerCertSANs: ['peer.example.com'],
      },
    },
    karmadaAPIServer: {
      ...everything('apiserver'),
      serviceSubnet: '10.112.0.0/16',
      serviceType: 'LoadBalancer',
      loadBalancerClass: 'example.com/balancer',
      serviceAnnotations: { 'example.com/balancer': 'internal <&>' },
      certSANs: ['api.example.com', '203.0.113.7'],
      extraArgs: { v: '4', 'audit-log-path': '-', 'event-ttl': '2h' },
      featureGates: { ValidatingAdmissionPolicy: true },
      extraVolumes: [{ name: 'audit-policy', configMap: { name: 'audit-policy' } }],
      extraVolumeMounts: [{ name: 'audit-policy', mountPath: '/etc/audit', readOnly: true }],
      sidecarContainers: [
        {
          name: 'konnectivity',
          image: 'registry.example.com/konnectivity:v1',
          args: ['--uds-name=/run/k/k.sock'],
          env: [{ name: 'TOKEN', value: 'none' }],
          ports: [{ name: 'agent', containerPort: 8132, protocol: 'TCP' }],
        },
      ],
    },
    karmadaAggregatedAPIServer: {
      ...everything('aggregated-apiserver'),
      extraArgs: { 'enable-pprof': 'true' },
      featureGates: { Failover: false },
      certSANs: ['aggregated.example.com'],
    },
    kubeControllerManager: {
      ...everything('kube-controller-manager'),
      controllers: ['namespace', 'garbagecollector', '-csrcleaner'],
      extraArgs: { 'concurrent-gc-syncs': '30' },
      featureGates: { CSIMigration: true },
    },
    karmadaControllerManager: {
      ...everything('controller-manager'),
      controllers: ['*', '-hpaScaleTargetMarker'],
      extraArgs: { 'cluster-status-update-frequency': '20s' },
      featureGates: { WorkloadAffinity: true },
    },
    karmadaScheduler: {
      ...everything('scheduler'),
      extraArgs: { plugins: '*' },
      featureGates: { PriorityBasedScheduling: true },
    },
    karmadaWebhook: {
      ...everything('webhook'),
      extraArgs: { 'allow-no-execute-taint-policy': 'true' },
    },
    karmadaDescheduler: {
      ...everything('descheduler'),
      extraArgs: { 'descheduling-interval': '5m' },
    },
    karmadaSearch: { ...everything('search'), extraArgs: { 'disable-proxy': 'true' } },
    karmadaSchedulerEstimator: {
      ...everything('scheduler-estimator'),
      extraArgs: { parallelism: '8' },
      featureGates: { ResourceQuotaEstimate: true },
    },
    karmadaMetricsAdapter: {
      ...everything('metrics-adapter'),
      podDisruptionBudgetConfig: { maxUnavailable: '50%' },
      extraArgs: { 'metrics-bind-address': ':9090' },
    },
  },
};

/** A member that has an estimator. */
/** All add-ons. */
export const ADDONS = recordOf(keysInstalled('request').map((key) => [key, {}] as const));

export const ESTIMATORS = [{ cluster: 'member-1', accessHash: 'hash-of-access' }];

/** An instance with everything set that can be set. */
export const FULL: RenderInput = {
  ...inputOf(FULL_SPEC, 'karmada-full', 'tenant-a'),
  certificatesHash: { 'karmada-webhook': 'hash-of-webhook', 'karmada-apiserver': 'hash-of-api' },
  estimators: ESTIMATORS,
};

/** The same with an etcd of the user. */
export const EXTERNAL_ETCD: RenderInput = {
  ...inputOf(
    {
      ...FULL_SPEC,
      components: {
        ...FULL_SPEC.components,
        etcd: {
          external: {
            endpoints: ['https://etcd-a.example.com:2379', 'https://[2001:db8::7]:2379'],
            secretRef: { name: 'karmada-full-etcd-cert', namespace: 'tenant-a' },
          },
        },
      },
    },
    'karmada-full',
    'tenant-a',
  ),
  estimators: ESTIMATORS,
};

/** All fields of `podSettings` for all components, and an entry that changes some of them for etcd. */
export const POD_SETTINGS: readonly PodSettings[] = [
  {
    nodeSelector: { 'example.com/pool': 'control' },
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'ScheduleAnyway',
        matchLabelKeys: ['pod-template-hash', 'app.kubernetes.io/name'],
      },
      {
        maxSkew: 2,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'DoNotSchedule',
        minDomains: 2,
        labelSelector: { matchLabels: { team: 'a' } },
      },
    ],
    env: [
      { name: 'HTTPS_PROXY', value: 'http://proxy: {3128' },
      {
        name: 'GOMEMLIMIT',
        valueFrom: { resourceFieldRef: { resource: 'limits.memory' } },
      },
    ],
    podSecurityContext: { fsGroup: 2000, supplementalGroups: [3000] },
    securityContext: { runAsUser: 1000, capabilities: { add: ['NET_BIND_SERVICE'] } },
    runtimeClassName: 'gvisor',
  },
  {
    components: ['etcd'],
    nodeSelector: { 'example.com/pool': 'etcd' },
    env: [{ name: 'HTTPS_PROXY' }, { name: 'GODEBUG', value: 'a=1' }],
  },
];
