/** Pods that are not created, not scheduled, or that use too much memory. */
import { object, settings, SMALL, type Fault } from './fault.ts';

const UNSCHEDULABLE = /FailedScheduling|Unschedulable/;
const REFUSED = /FailedCreate/;

const podSettings = (given: object): object => ({ podSettings: [given] });

const SCHEDULING: readonly Fault[] = [
  {
    id: 'cpu-request',
    title: 'a CPU request that no node can satisfy',
    reports: ['cloud-bulldozer/benchmark-operator#619', 'piraeusdatastore/piraeus#19'],
    components: settings('karmadaScheduler', { resources: { requests: { cpu: '1000' } } }),
    named: {
      type: 'SchedulerReady',
      reason: 'Unschedulable',
      object: /Pod .*karmada-scheduler-/,
      remedy: /add nodes to the cluster/,
    },
    evidence: UNSCHEDULABLE,
  },
  {
    id: 'node-selector',
    title: 'a node selector that no node matches',
    reports: ['huanwei/rocketmq-operator#48'],
    spec: podSettings({ components: ['etcd'], nodeSelector: { 'example.com/none': 'none' } }),
    named: {
      type: 'EtcdReady',
      reason: 'Unschedulable',
      object: /Pod .*karmada-etcd-0/,
      remedy: /affinity or nodeSelector in spec\.components\.etcd\.local/,
    },
    evidence: UNSCHEDULABLE,
  },
  {
    id: 'topology-spread',
    title: 'a topology spread over a label that no node has',
    spec: podSettings({
      components: ['karmadaScheduler'],
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'example.com/none', whenUnsatisfiable: 'DoNotSchedule' },
      ],
    }),
    named: {
      type: 'SchedulerReady',
      reason: 'Unschedulable',
      object: /Pod .*karmada-scheduler-/,
      remedy: /add nodes to the cluster/,
    },
    evidence: UNSCHEDULABLE,
  },
  {
    id: 'memory-limit',
    title: 'a memory limit below what a component needs',
    reports: ['operator-framework/operator-sdk-samples#156', 'Kong/gateway-operator#285'],
    components: settings('karmadaScheduler', {
      resources: { requests: { memory: '8Mi' }, limits: { memory: '16Mi' } },
    }),
    named: {
      type: 'SchedulerReady',
      reason: 'OOMKilled',
      object: /Pod .*karmada-scheduler-.*16Mi/,
      remedy: /raise spec\.components\.karmadaScheduler\.resources\.limits\.memory/,
    },
    evidence: /OOMKilled/,
  },
  {
    id: 'memory-limit-etcd',
    title: 'a memory limit below what etcd needs',
    components: {
      etcd: {
        local: {
          volumeData: { emptyDir: {} },
          resources: { requests: { memory: '8Mi' }, limits: { memory: '12Mi' } },
        },
      },
    },
    named: {
      type: 'EtcdReady',
      reason: 'OOMKilled',
      object: /Pod .*karmada-etcd-0/,
      remedy: /raise spec\.components\.etcd\.local\.resources\.limits\.memory/,
    },
    evidence: /OOMKilled/,
  },
];

const quota =
  (hard: object): Fault['objects'] =>
  () => [object('ResourceQuota', 'none', { spec: { hard } })];

/** A webhook of the host cluster for the Pods of one Namespace, without a server. */
const deadWebhook: Fault['objects'] = (namespace) => [
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: namespace },
    webhooks: [
      {
        name: 'dead.example.com',
        clientConfig: { url: 'https://127.0.0.1:9/validate' },
        rules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] },
        ],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        failurePolicy: 'Fail',
        sideEffects: 'None',
        timeoutSeconds: 2,
        admissionReviewVersions: ['v1'],
      },
    ],
  },
];

const ADMISSION: readonly Fault[] = [
  {
    id: 'quota-pods',
    title: 'a ResourceQuota that admits no Pods',
    reports: ['openshift/origin#10407'],
    objects: quota({ pods: '0' }),
    named: {
      type: 'EtcdReady',
      reason: 'QuotaExceeded',
      object: /StatefulSet .*karmada-etcd/,
      remedy: /raise the ResourceQuota/,
    },
    evidence: REFUSED,
  },
  {
    id: 'quota-limits',
    title: 'a ResourceQuota that requires limits',
    reports: ['helm/charts#23255', 'bitnami/charts#9338', 'kubernetes/kubernetes#96634'],
    objects: quota({ 'limits.cpu': '100' }),
    named: {
      type: 'EtcdReady',
      reason: 'QuotaExceeded',
      object: /ResourceQuota none requires/,
      remedy: /set spec\.components\.etcd\.local\.resources/,
    },
    evidence: REFUSED,
  },
  {
    id: 'limit-range',
    title: 'a LimitRange with a minimum above the request of etcd',
    reports: ['rhobs/troubleshooting-scenarios#54'],
    objects: () => [
      object('LimitRange', 'none', {
        spec: { limits: [{ type: 'Container', min: { memory: '64Gi' } }] },
      }),
    ],
    named: {
      type: 'EtcdReady',
      reason: 'QuotaExceeded',
      object: /minimum memory usage/,
      remedy: /change spec\.components\.etcd\.local\.resources/,
    },
    evidence: REFUSED,
  },
  {
    id: 'pod-security',
    title: 'a restricted Namespace and data in a hostPath',
    reports: ['kubernetes-sigs/node-feature-discovery#1002', 'hyperspike/valkey-operator#260'],
    labels: { 'pod-security.kubernetes.io/enforce': 'restricted' },
    components: {
      etcd: { local: { volumeData: { hostPath: { path: '/var/lib/karmada-faults/etcd' } } } },
    },
    named: {
      type: 'EtcdReady',
      reason: 'PodSecurityRefused',
      object: /Pod Security level restricted/,
      remedy: /pod-security\.kubernetes\.io\/enforce/,
    },
    evidence: REFUSED,
  },
  {
    id: 'priority-class',
    title: 'a PriorityClass that does not exist',
    components: settings('karmadaWebhook', { priorityClassName: 'none' }),
    named: {
      type: 'WebhookReady',
      reason: 'PodsRefused',
      object: /the PriorityClass none does not exist/,
      remedy: /set another class in spec\.components\.karmadaWebhook\.priorityClassName/,
    },
    evidence: REFUSED,
  },
  {
    id: 'runtime-class',
    title: 'a RuntimeClass that does not exist',
    reports: ['canonical/microk8s#2359'],
    components: SMALL,
    spec: podSettings({ components: ['etcd'], runtimeClassName: 'none' }),
    named: {
      type: 'EtcdReady',
      reason: 'PodsRefused',
      object: /the RuntimeClass none does not exist/,
      remedy: /correct runtimeClassName in spec\.podSettings/,
    },
    evidence: REFUSED,
  },
  {
    id: 'host-webhook',
    title: 'an admission webhook of the host cluster without a server',
    reports: ['kai-scheduler/KAI-Scheduler#883', 'gopaddle-io/configurator#74'],
    objects: deadWebhook,
    named: {
      type: 'EtcdReady',
      reason: 'WebhookRefusesPods',
      object: /dead\.example\.com/,
      remedy: /start its server, or correct its webhook configuration/,
    },
    evidence: REFUSED,
  },
];

export const PLACEMENT_FAULTS: readonly Fault[] = [...SCHEDULING, ...ADMISSION];
