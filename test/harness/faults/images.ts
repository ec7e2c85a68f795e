/** Images that cannot be pulled or started. */
import { etcdTags, karmadaReleases } from '../../../tools/embedded-cluster/releases.ts';
import { settings, SMALL, type Fault, type Named } from './fault.ts';

const pull = (
  type: string,
  object: RegExp,
  remedy: RegExp = /check imageRepository and imageTag/,
): Named => ({
  type,
  reason: 'ImagePullFailed',
  object,
  remedy,
});

const NOT_PULLED = /ErrImagePull|ImagePullBackOff/;
const missing = `${karmadaReleases.current}-none`;

export const IMAGE_FAULTS: readonly Fault[] = [
  {
    id: 'image-tag',
    title: 'an image tag that does not exist',
    reports: ['NileshGule/AKS-learning-series#6', 'mattmattox/drain-node-on-crash#7'],
    components: settings('karmadaScheduler', { imageTag: missing }),
    named: pull('SchedulerReady', /Pod .*karmada-scheduler-.*karmada-scheduler:\S+-none/),
    evidence: NOT_PULLED,
  },
  {
    id: 'image-registry',
    title: 'a registry whose name does not exist',
    components: settings('karmadaWebhook', { imageRepository: 'registry.invalid/karmada-webhook' }),
    named: pull('WebhookReady', /Pod .*karmada-webhook-.*registry\.invalid/),
    evidence: NOT_PULLED,
  },
  {
    id: 'image-private-registry',
    title: 'a private registry that does not have the images',
    reports: ['kubean-io/kubean#264'],
    components: SMALL,
    spec: { privateRegistry: { registry: 'registry.invalid/mirror' } },
    named: pull('EtcdReady', /Pod .*karmada-etcd-0.*registry\.invalid\/mirror/),
    evidence: NOT_PULLED,
  },
  {
    id: 'image-never',
    title: 'an image that is not on the node, with imagePullPolicy Never',
    reports: ['kubernetes-sigs/lws#495', 'k3s-io/k3s#1586', 'hystax/optscale#701'],
    components: settings('karmadaScheduler', { imageTag: missing, imagePullPolicy: 'Never' }),
    named: {
      type: 'SchedulerReady',
      reason: 'ImageNotPresent',
      object: /Pod .*karmada-scheduler-/,
      remedy: /load the image onto the node, or set a different imagePullPolicy/,
    },
    evidence: /ErrImageNeverPull/,
  },
  {
    id: 'image-etcd',
    title: 'an etcd image that does not exist',
    reports: ['ibm-cloud-architecture/icp-backup#21'],
    components: {
      etcd: { local: { imageTag: `${etcdTags.current}-none`, volumeData: { emptyDir: {} } } },
    },
    named: pull('EtcdReady', /Pod .*karmada-etcd-0.*etcd:3\.6\.\d+-0-none/),
    evidence: NOT_PULLED,
  },
  {
    id: 'image-api-server',
    title: 'a patch release of kube-apiserver that does not exist',
    components: settings('karmadaAPIServer', { imageTag: 'v1.35.99' }),
    named: pull('APIServerReady', /Pod .*karmada-apiserver-.*kube-apiserver:v1\.35\.99/),
    evidence: NOT_PULLED,
  },
  {
    id: 'image-digest',
    title: 'a digest that no image has',
    reports: ['AliyunContainerService/minikube#66', 'parca-dev/parca-agent#2319'],
    components: settings('karmadaWebhook', {
      imageTag: `${karmadaReleases.current}@sha256:${'0'.repeat(64)}`,
    }),
    named: pull('WebhookReady', /Pod .*karmada-webhook-.*@sha256:0/),
    evidence: NOT_PULLED,
  },
  {
    id: 'image-program',
    title: 'an image without the program of the component',
    reports: [
      'VictoriaMetrics/operator#1238',
      'kubeflow/fate-operator#19',
      'apache/rocketmq-operator#110',
    ],
    components: settings('karmadaScheduler', {
      imageRepository: 'registry.k8s.io/etcd',
      imageTag: etcdTags.current,
    }),
    named: {
      type: 'SchedulerReady',
      reason: 'CommandNotFound',
      object: /Pod .*karmada-scheduler-/,
      remedy: /correct imageRepository and imageTag in spec\.components\.karmadaScheduler/,
    },
    evidence: /no such file or directory|not found in \$PATH/,
  },
];
