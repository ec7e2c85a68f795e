/** Flags that a component rejects, that contradict each other, or that name files which do not exist. */
import { kubernetesReleases } from '../../../tools/embedded-cluster/releases.ts';
import { flags, invalid, PLAIN, settings, type Fault, type Named } from './fault.ts';

const rejected = (type: string, object: RegExp, remedy: RegExp): Named => ({
  type,
  reason: 'FlagRejected',
  object,
  remedy,
});

const ENDED = /CrashLoopBackOff|"terminated"/;

const EXITING: readonly Fault[] = [
  {
    id: 'flag-unknown',
    title: 'a flag that a component does not have',
    reports: ['kubealex/k8s-mediaserver-operator#36'],
    components: flags('karmadaScheduler', { 'no-such-flag': 'x' }),
    named: rejected(
      'SchedulerReady',
      /Pod .*karmada-scheduler-.*no flag --no-such-flag/,
      /remove no-such-flag from spec\.components\.karmadaScheduler\.extraArgs/,
    ),
    evidence: ENDED,
  },
  {
    id: 'flag-value',
    title: 'a flag with an invalid value',
    components: flags('karmadaControllerManager', { v: 'none' }),
    named: rejected(
      'ControllerManagerReady',
      /Pod .*karmada-controller-manager-/,
      /spec\.components\.karmadaControllerManager\.extraArgs\.v/,
    ),
    evidence: ENDED,
  },
  {
    id: 'flag-api-server',
    title: 'a flag that kube-apiserver does not have',
    reports: ['kubernetes/kops#17267', 'vexxhost/capo-image-elements#47'],
    components: flags('karmadaAPIServer', { 'no-such-flag': 'x' }),
    named: rejected(
      'APIServerReady',
      /Pod .*karmada-apiserver-.*no flag --no-such-flag/,
      /remove no-such-flag from spec\.components\.karmadaAPIServer\.extraArgs/,
    ),
    evidence: ENDED,
  },
  {
    id: 'flag-etcd',
    title: 'a flag that etcd does not have',
    reports: ['etcd-io/etcd#12693', 'siderolabs/talos#8132'],
    components: {
      etcd: { local: { volumeData: { emptyDir: {} }, extraArgs: { 'no-such-flag': 'x' } } },
    },
    named: rejected(
      'EtcdReady',
      /Pod .*karmada-etcd-0/,
      /remove no-such-flag from spec\.components\.etcd\.local\.extraArgs/,
    ),
    evidence: ENDED,
  },
  {
    id: 'feature-gate',
    title: 'a feature gate that a component does not have',
    reports: ['siderolabs/talos#13480'],
    components: settings('karmadaControllerManager', { featureGates: { NoSuchGate: true } }),
    named: rejected(
      'ControllerManagerReady',
      /Pod .*karmada-controller-manager-.*NoSuchGate/,
      /remove it from spec\.components\.karmadaControllerManager\.featureGates/,
    ),
    evidence: ENDED,
  },
  {
    id: 'audit-log',
    title: 'an audit log in a directory without a volume',
    reports: ['k0sproject/k0smotron#737'],
    components: flags('karmadaAPIServer', { 'audit-log-path': '/var/log/audit/audit.log' }),
    named: {
      type: 'APIServerReady',
      reason: 'PathNotWritable',
      object: /Pod .*karmada-apiserver-.*\/var\/log/,
      remedy: /such as an emptyDir, at \/var\/log\/audit/,
    },
    evidence: ENDED,
  },
  {
    id: 'audit-policy',
    title: 'an audit policy that no volume contains',
    reports: ['kubernetes/kops#15489', 'kubernetes/kops#7503'],
    components: flags('karmadaAPIServer', { 'audit-policy-file': '/etc/audit/policy.yaml' }),
    named: {
      type: 'APIServerReady',
      reason: 'FileMissing',
      object: /Pod .*karmada-apiserver-.*\/etc\/audit\/policy\.yaml/,
      remedy: /extraVolumes and extraVolumeMounts/,
    },
    evidence: ENDED,
  },
  {
    id: 'kubeconfig',
    title: 'a kubeconfig that does not exist',
    components: flags('karmadaScheduler', { kubeconfig: '/none' }),
    named: {
      type: 'SchedulerReady',
      reason: 'FileMissing',
      object: /Pod .*karmada-scheduler-.*\/none/,
      remedy: /correct the flag in spec\.components\.karmadaScheduler\.extraArgs/,
    },
    evidence: ENDED,
  },
  {
    id: 'readiness',
    title: 'an API server that never becomes ready',
    components: flags('karmadaAggregatedAPIServer', { 'etcd-readycheck-timeout': '1ns' }),
    named: {
      type: 'AggregatedAPIServerReady',
      reason: 'ProbeFails',
      object: /Pod .*karmada-aggregated-apiserver-/,
      remedy: /kubectl -n \S+ logs/,
    },
    evidence: /probe failed/,
  },
  {
    id: 'file-warning',
    title: 'a flag with a file that no volume contains, before the component runs',
    reports: ['kubernetes/kops#15489'],
    components: {
      ...PLAIN,
      karmadaAPIServer: { extraArgs: { 'audit-policy-file': '/etc/audit/policy.yaml' } },
    },
    named: {
      type: 'Warning',
      reason: 'FileNotMounted',
      object: /extraArgs\.audit-policy-file/,
      remedy: /add a ConfigMap or Secret to spec\.components\.karmadaAPIServer\.extraVolumes/,
    },
  },
];

const API = 'karmadaAPIServer';

const ofRelease = (extraArgs: object): object =>
  settings(API, { imageTag: kubernetesReleases.current, extraArgs });

const REJECTED: readonly Fault[] = [
  {
    id: 'exclusive-authorization',
    title: 'authorization-config together with authorization-mode',
    reports: ['k3s-io/k3s#12017'],
    components: flags(API, { 'authorization-config': '/etc/a.yaml', 'authorization-mode': 'RBAC' }),
    named: invalid(/karmadaAPIServer\.extraArgs/, /remove one of them/),
  },
  {
    id: 'exclusive-authentication',
    title: 'authentication-config together with a flag of OIDC',
    components: flags(API, {
      'authentication-config': '/etc/a.yaml',
      'oidc-issuer-url': 'https://issuer.example.com',
    }),
    named: invalid(/karmadaAPIServer\.extraArgs/, /remove one of them/),
  },
  {
    id: 'exclusive-admission',
    title: 'an admission plugin that is both enabled and disabled',
    components: flags(API, {
      'enable-admission-plugins': 'NodeRestriction',
      'disable-admission-plugins': 'NodeRestriction',
    }),
    named: invalid(/enable-admission-plugins/, /remove it from one of them/),
  },
  {
    id: 'exclusive-signing',
    title: 'a general and a special signing certificate of kube-controller-manager',
    components: flags('kubeControllerManager', {
      'cluster-signing-cert-file': '/etc/a.crt',
      'cluster-signing-kubelet-client-cert-file': '/etc/b.crt',
    }),
    named: invalid(/kubeControllerManager\.extraArgs/, /remove one of them/),
  },
  {
    id: 'port-webhook',
    title: 'a port of karmada-webhook that its probe does not use',
    components: flags('karmadaWebhook', { 'secure-port': '9443' }),
    named: invalid(/karmadaWebhook\.extraArgs\.secure-port/, /remove the flag/),
  },
  {
    id: 'port-scheduler',
    title: 'a health address that the kubelet does not reach',
    components: flags('karmadaScheduler', { 'health-probe-bind-address': '127.0.0.1:10351' }),
    named: invalid(/karmadaScheduler\.extraArgs\.health-probe-bind-address/, /remove the flag/),
  },
  {
    id: 'probe-paths',
    title: 'paths without credentials that leave out those of the probes',
    components: flags('karmadaAggregatedAPIServer', {
      'authorization-always-allow-paths': '/healthz',
    }),
    named: invalid(/authorization-always-allow-paths/, /must also contain \/readyz and \/livez/),
  },
  {
    id: 'flag-later',
    title: 'a flag of a later Kubernetes version',
    components: ofRelease({ 'tls-curve-preferences': 'X25519' }),
    named: invalid(/karmadaAPIServer\.extraArgs\.tls-curve-preferences/, /set another imageTag/),
  },
  {
    id: 'flag-removed',
    title: 'a flag of an earlier Kubernetes version',
    reports: [
      'clastix/cluster-api-control-plane-provider-kamaji#199',
      'nutanix-cloud-native/cluster-api-provider-nutanix#520',
      'kubernetes-sigs/cluster-api-provider-ibmcloud#2224',
    ],
    components: ofRelease({ 'cloud-provider': 'external' }),
    named: invalid(/karmadaAPIServer\.extraArgs\.cloud-provider/, /remove it/),
  },
];

export const FLAG_FAULTS: readonly Fault[] = [...EXITING, ...REJECTED];
