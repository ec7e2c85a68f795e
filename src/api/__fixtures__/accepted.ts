/** Specs as users of upstream's operator have them: all of them come to Ready there. */
import type { KarmadaSpec } from '../karmada.ts';

const image = (name: string, tag = 'v1.17.1'): object => ({
  imageRepository: `docker.io/karmada/${name}`,
  imageTag: tag,
  imagePullPolicy: 'IfNotPresent',
  replicas: 1,
});

const kubernetes = (name: string, tag: string): object => ({
  imageRepository: `registry.k8s.io/${name}`,
  imageTag: tag,
  imagePullPolicy: 'IfNotPresent',
  replicas: 1,
});

const resources = { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: 1 as never } };
const claim = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '3Gi' } },
  storageClassName: 'fast',
};

export const ACCEPTED: readonly (readonly [string, KarmadaSpec | undefined])[] = [
  ['no spec', undefined],
  ['an empty spec', {}],
  ['components without etcd', { components: { karmadaSearch: {}, karmadaDescheduler: {} } }],
  [
    'every component written out, with the defaults upstream stores',
    {
      hostCluster: { networking: { dnsDomain: 'cluster.local' } },
      components: {
        etcd: {
          local: {
            ...kubernetes('etcd', '3.6.14-0'),
            volumeData: { emptyDir: {} },
            resources: {},
            priorityClassName: 'system-node-critical',
          },
        },
        karmadaAPIServer: {
          ...kubernetes('kube-apiserver', 'v1.35.2'),
          serviceType: 'NodePort',
          serviceSubnet: '10.96.0.0/12',
          certSANs: ['kubernetes.default.svc', '*.example.com', '10.0.0.1', 'fd00::1'],
          extraArgs: { v: '2', 'audit-log-path': '/var/log/audit.log' },
        },
        karmadaAggregatedAPIServer: { ...image('karmada-aggregated-apiserver'), resources },
        kubeControllerManager: kubernetes('kube-controller-manager', 'v1.35.2'),
        karmadaControllerManager: {
          ...image('karmada-controller-manager'),
          controllers: ['*', '-serviceExport'],
          labels: { team: 'a' },
          annotations: { 'example.com/Note': 'a: {b' },
        },
        karmadaScheduler: image('karmada-scheduler'),
        karmadaWebhook: {
          ...image('karmada-webhook'),
          podDisruptionBudgetConfig: { minAvailable: 1 },
        },
        karmadaMetricsAdapter: image('karmada-metrics-adapter'),
        karmadaDescheduler: image('karmada-descheduler'),
        karmadaSearch: image('karmada-search'),
      },
    },
  ],
  [
    'an older release, three members, claims',
    {
      components: {
        etcd: {
          local: {
            ...kubernetes('etcd', '3.5.16-0'),
            replicas: 3,
            volumeData: { volumeClaim: { metadata: { labels: { a: 'b' } }, spec: claim } },
            replacementGracePeriod: '1h30m',
            serverCertSANs: ['etcd.example.com'],
            podDisruptionBudgetConfig: { maxUnavailable: '34%' },
          },
        },
        karmadaAPIServer: kubernetes('kube-apiserver', 'v1.31.3'),
        kubeControllerManager: kubernetes('kube-controller-manager', 'v1.31.3'),
        karmadaScheduler: image('karmada-scheduler', 'v1.16.0'),
      },
    },
  ],
  [
    'a claim beside the emptyDir that was stored as default',
    {
      components: {
        etcd: { local: { volumeData: { emptyDir: {}, volumeClaim: { spec: claim } } } },
      },
    },
  ],
  [
    'an external etcd',
    {
      components: {
        etcd: {
          external: {
            endpoints: ['https://10.0.0.1:2379', 'https://[fd00::1]:2379', 'etcd.example.com:2379'],
            secretRef: { name: 'demo-karmada-etcd-cert', namespace: 'test' },
          },
        },
      },
    },
  ],
  [
    'an external etcd without TLS, its Secret anywhere under any name',
    {
      components: {
        etcd: {
          external: {
            endpoints: ['http://etcd.storage:2379/'],
            secretRef: { name: 'demo-karmada-etcd-client', namespace: 'storage' },
          },
        },
      },
    },
  ],
  [
    'a remote host with a load balancer, a side-loaded archive, own CA',
    {
      hostCluster: {
        apiEndpoint: 'https://10.0.0.1:6443',
        secretRef: { name: 'host', namespace: 'test' },
      },
      components: {
        karmadaAPIServer: {
          serviceType: 'LoadBalancer',
          loadBalancerClass: 'internal-vip',
          serviceAnnotations: { 'service.beta.kubernetes.io/Internal': 'true' },
        },
      },
      crdTarball: { httpSource: { url: 'http://local' }, crdDownloadPolicy: 'IfNotPresent' },
      customCertificate: {
        apiServerCACert: { name: 'ca', namespace: 'test' },
        leafCertValidityDays: 30,
      },
      featureGates: { Failover: true },
      privateRegistry: { registry: 'registry.example' },
      imagePullSecrets: [{ name: 'registry-credentials' }],
      suspend: false,
    },
  ],
  [
    'images by digest, in both forms that a repository and a tag allow',
    {
      components: {
        karmadaWebhook: {
          imageRepository: 'registry.example:5000/karmada/karmada-webhook@sha256',
          imageTag: 'a'.repeat(64),
        },
        karmadaScheduler: { imageTag: `v1.17.1@sha256:${'b'.repeat(64)}` },
      },
    },
  ],
];
