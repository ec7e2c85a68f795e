/** Faults of control planes that were Ready: changes of the spec, and what happens around them. */
import { karmadaReleases, kubernetesReleases } from '../../../tools/embedded-cluster/releases.ts';
import { PLAIN, SMALL, object, type Fault, type Named } from './fault.ts';

/** Objects whose writes a webhook without a server rejects. */
interface Rejected {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
}

const webhook = ({ apiGroups, resources }: Rejected, selector: object = {}): object => ({
  name: 'dead.example.com',
  clientConfig: { url: 'https://127.0.0.1:9/validate' },
  rules: [{ apiGroups, apiVersions: ['*'], operations: ['CREATE'], resources }],
  ...selector,
  failurePolicy: 'Fail',
  sideEffects: 'None',
  timeoutSeconds: 2,
  admissionReviewVersions: ['v1'],
});

/** A webhook of the host cluster for one Namespace, without a server. */
const deadInHost =
  (rejected: Rejected) =>
  (namespace: string): readonly object[] => [
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: namespace },
      webhooks: [
        webhook(rejected, {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        }),
      ],
    },
  ];

/** A webhook that the user creates in the control plane, without a server. */
const deadInControlPlane = (rejected: Rejected): object => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
  metadata: { name: 'dead' },
  webhooks: [webhook(rejected)],
});

const PODS: Rejected = { apiGroups: [''], resources: ['pods'] };
/** Deletes the Pods of karmada-scheduler. */
const SCHEDULER = ['pods', '-l', 'app.kubernetes.io/name=karmada-scheduler'];

const POD = object('Pod', 'rejected', { spec: { containers: [{ name: 'none', image: 'none' }] } });
const SERVICE = object('Service', 'rejected', { spec: { ports: [{ port: 1 }] } });
const CLUSTER_ROLE = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'rejected' },
  rules: [],
};
const POLICY = {
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'PropagationPolicy',
  metadata: { name: 'rejected', namespace: 'default' },
  spec: { resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'none' }] },
};
const REFUSED = /FailedCreate/;

const USER_WEBHOOK: Named = {
  type: 'Degraded',
  reason: 'UserWebhookFails',
  object: /admission webhook dead\.example\.com in the control plane/,
  remedy: /start its server, or set failurePolicy: Ignore/,
};

const AROUND: readonly Fault[] = [
  {
    id: 'later-user-webhook',
    title: 'an admission webhook of the user without a server, before a change',
    reports: ['open-policy-agent/gatekeeper#2600'],
    later: {
      inControlPlane: [deadInControlPlane({ apiGroups: ['policy.karmada.io'], resources: ['*'] })],
      rejected: POLICY,
      // Only the generation changes, so that the operator checks the control plane again.
      patch: { upgrade: { stepDeadline: '11m' } },
    },
    named: USER_WEBHOOK,
  },
  {
    id: 'later-user-webhook-objects',
    title:
      'an admission webhook of the user without a server, which rejects an object that the operator restores',
    later: {
      inControlPlane: [
        deadInControlPlane({
          apiGroups: ['rbac.authorization.k8s.io'],
          resources: ['clusterroles'],
        }),
      ],
      rejected: CLUSTER_ROLE,
      deletesInControlPlane: ['clusterrole', 'system:karmada:agent-rbac-generator'],
    },
    named: USER_WEBHOOK,
  },
  {
    id: 'later-quota',
    title: 'a ResourceQuota that admits no more Pods, when a Pod is replaced',
    reports: ['ministryofjustice/cloud-platform#590'],
    later: {
      objects: () => [object('ResourceQuota', 'none', { spec: { hard: { pods: '0' } } })],
      rejected: POD,
      deletes: SCHEDULER,
    },
    named: {
      type: 'SchedulerReady',
      reason: 'QuotaExceeded',
      object: /karmada-scheduler/,
      remedy: /raise the ResourceQuota/,
    },
    evidence: REFUSED,
  },
  {
    id: 'later-host-webhook',
    title: 'an admission webhook of the host cluster that stops, when a Pod is replaced',
    reports: ['gopaddle-io/configurator#74'],
    later: { objects: deadInHost(PODS), rejected: POD, deletes: SCHEDULER },
    named: {
      type: 'SchedulerReady',
      reason: 'WebhookRefusesPods',
      object: /dead\.example\.com/,
      remedy: /start its server, or correct its webhook configuration/,
    },
    evidence: REFUSED,
  },
  {
    id: 'later-host-webhook-objects',
    title: 'an admission webhook of the host cluster that stops, when a Service is deleted',
    reports: ['projectcapsule/capsule#787'],
    later: {
      objects: deadInHost({ apiGroups: [''], resources: ['services'] }),
      rejected: SERVICE,
      deletes: ['service', 'karmada-webhook'],
    },
    named: {
      type: 'Degraded',
      reason: 'WebhookRefusesObjects',
      object: /Service \S*karmada-webhook: the admission webhook dead\.example\.com/,
      remedy: /start its server, or correct its webhook configuration/,
    },
  },
];

const CHANGES: readonly Fault[] = [
  {
    id: 'later-image',
    title: 'a change to an image tag that does not exist',
    later: {
      patch: { components: { karmadaScheduler: { imageTag: `${karmadaReleases.current}-none` } } },
    },
    named: {
      type: 'SchedulerReady',
      reason: 'ImagePullFailed',
      object: /Pod .*karmada-scheduler-/,
      remedy: /check imageRepository and imageTag/,
    },
    evidence: /ErrImagePull|ImagePullBackOff/,
  },
  {
    id: 'later-flag',
    title: 'a change to a flag that a component does not have',
    later: {
      patch: { components: { karmadaControllerManager: { extraArgs: { 'no-such-flag': 'x' } } } },
    },
    named: {
      type: 'ControllerManagerReady',
      reason: 'FlagRejected',
      object: /Pod .*karmada-controller-manager-.*no flag --no-such-flag/,
      remedy: /remove no-such-flag from spec\.components\.karmadaControllerManager\.extraArgs/,
    },
    evidence: /CrashLoopBackOff|"terminated"/,
  },
  {
    id: 'later-config-map',
    title: 'a change to a volume of a ConfigMap that does not exist',
    later: {
      patch: {
        components: {
          karmadaAPIServer: {
            extraVolumes: [{ name: 'given', configMap: { name: 'none' } }],
            extraVolumeMounts: [{ name: 'given', mountPath: '/etc/given' }],
          },
        },
      },
    },
    named: {
      type: 'APIServerReady',
      reason: 'VolumeSourceMissing',
      object: /ConfigMap \S+\/none does not exist/,
      remedy: /create it, or correct spec\.components\.karmadaAPIServer\.extraVolumes/,
    },
    evidence: /FailedMount/,
  },
  {
    id: 'later-downgrade',
    title: 'a change to an earlier Kubernetes version',
    reports: ['kubernetes/kubernetes#32337'],
    components: PLAIN,
    later: {
      patch: { components: { karmadaAPIServer: { imageTag: kubernetesReleases.previous } } },
    },
    named: {
      type: 'Progressing',
      reason: 'DowngradeBlocked',
      object: /kube-apiserver: downgrade from/,
      remedy: /restore a snapshot into a new control plane instead/,
    },
  },
  {
    id: 'later-restart',
    title: 'a change that would restart an etcd with its data in an emptyDir',
    reports: ['karmada-io/karmada#2157', 'karmada-io/karmada#2191'],
    components: SMALL,
    later: {
      patch: { components: { etcd: { local: { resources: { requests: { cpu: '50m' } } } } } },
    },
    named: {
      type: 'Progressing',
      reason: 'EtcdRestartBlocked',
      object: /karmada-etcd: Pod template/,
      remedy: /revert the change, or set spec\.components\.etcd\.local\.replicas to 3/,
    },
  },
];

export const LATER_FAULTS: readonly Fault[] = [...AROUND, ...CHANGES];
