import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { live, wishOf } from '../instance/__fixtures__/instance.ts';
import { ago, causeIn, crashed, NOW, type SceneInput } from './__fixtures__/scene.ts';

interface Case extends Omit<SceneInput, 'component'> {
  readonly component?: SceneInput['component'];
  readonly reason: string | undefined;
  readonly says?: readonly string[];
  readonly without?: readonly string[];
  readonly certain?: boolean;
}

const API = 'karmada-apiserver';
const apiArgs = (extraArgs: Readonly<Record<string, string>>): SceneInput['spec'] => ({
  components: { karmadaAPIServer: { extraArgs } },
});
const USAGE = 'Usage:\n  kube-apiserver [flags]\n\nGeneric flags:\n      --goaway-chance float\n\n';
const failed = (err: string): string =>
  `I1126 15:00:00.000001       1 options.go:263] external host was not specified\nE1126 15:00:00.000000       1 run.go:72] "command failed" err="${err}"\n`;

function check({ reason, says = [], without = [], certain, ...scene }: Case): void {
  const found = causeIn({ component: API, ...scene });
  expect(found?.reason).toBe(reason);
  for (const text of says) expect(found?.message).toContain(text);
  for (const text of without) expect(found?.message).not.toContain(text);
  if (certain !== undefined) expect(found?.isCertain).toBe(certain);
}

const LIMITED = { components: { karmadaAPIServer: { resources: { limits: { memory: '64Mi' } } } } };

const NO_LOG = ['read its log', 'check its log'];

describe('componentCause for a container that ends', () => {
  it.each<[string, Case]>([
    [
      'an unknown flag',
      {
        spec: apiArgs({ 'no-such': 'sEcret1234' }),
        reason: 'FlagRejected',
        certain: true,
        main: crashed(`${USAGE}Error: unknown flag: --no-such\n`),
        says: [
          'Pod team/karmada-demo-apiserver-abc-x1: container kube-apiserver ends with exit code 1',
          'no flag --no-such',
          'remove no-such from spec.components.karmadaAPIServer.extraArgs',
        ],
        without: [...NO_LOG, 'sEcret'],
      },
    ],
    [
      'an unknown flag at the first end, before the back-off',
      {
        reason: 'FlagRejected',
        certain: true,
        main: {
          state: {
            terminated: { exitCode: 1, reason: 'Error', message: 'Error: unknown flag: --x\n' },
          },
        },
      },
    ],
    [
      'a value that a flag does not take',
      {
        spec: apiArgs({ v: 'sEcretValue' }),
        reason: 'FlagRejected',
        main: crashed(
          'Error: invalid argument "sEcretValue" for "-v, --v" flag: strconv.ParseInt: parsing "sEcretValue": invalid syntax\n',
        ),
        says: [
          'the value of --v is not valid',
          'correct spec.components.karmadaAPIServer.extraArgs.v',
        ],
        without: [...NO_LOG, 'sEcretValue'],
      },
    ],
    [
      'flags that exclude each other',
      {
        spec: apiArgs({ 'authorization-config': '/etc/a.yaml' }),
        reason: 'FlagRejected',
        main: crashed(
          failed('--authorization-config can not be specified when --authorization-mode is set'),
        ),
        says: [
          '--authorization-config can not be specified',
          'correct spec.components.karmadaAPIServer.extraArgs.authorization-config',
        ],
        without: NO_LOG,
      },
    ],
    [
      'a directory that no volume provides',
      {
        spec: apiArgs({ 'audit-log-path': '/var/log/audit/audit.log' }),
        reason: 'PathNotWritable',
        main: crashed(failed('ensureLogFile: mkdir /var/log/audit: read-only file system')),
        says: [
          '/var/log/audit: read-only file system',
          'such as an emptyDir, at /var/log/audit (spec.components.karmadaAPIServer.extraVolumes and extraVolumeMounts)',
        ],
        without: NO_LOG,
      },
    ],
    [
      'a directory of an image without the directories above it',
      {
        spec: apiArgs({ 'audit-log-path': '/var/log/audit/audit.log' }),
        reason: 'PathNotWritable',
        main: crashed(failed('ensureLogFile: mkdir /var: read-only file system')),
        says: ['/var: read-only file system', 'such as an emptyDir, at /var/log/audit ('],
        without: NO_LOG,
      },
    ],
    [
      'a file in the root directory',
      {
        spec: apiArgs({ 'audit-log-path': '/audit.log' }),
        reason: 'PathNotWritable',
        main: crashed(failed('ensureLogFile: open /audit.log: read-only file system')),
        says: ['/audit.log: read-only file system', 'correct the flag in'],
        without: ['mount'],
      },
    ],
    [
      'a file that does not exist',
      {
        spec: apiArgs({ 'audit-policy-file': '/etc/audit/policy.yaml' }),
        reason: 'FileMissing',
        main: crashed(
          failed(
            'loading audit policy file: failed to read file path \\"/etc/audit/policy.yaml\\": open /etc/audit/policy.yaml: no such file or directory',
          ),
        ),
        says: ['/etc/audit/policy.yaml does not exist', 'mount a volume with it at /etc/audit'],
      },
    ],
    [
      'a volume of another user',
      {
        component: 'etcd',
        reason: 'VolumeNotWritable',
        main: crashed(
          '{"level":"info","ts":"2026-01-01T00:00:00Z","msg":"starting"}\n{"level":"fatal","ts":"2026-01-01T00:00:00Z","caller":"etcdmain/etcd.go:161","msg":"discovery failed","error":"open /var/lib/etcd/.touch: permission denied"}\n',
        ),
        says: [
          '/var/lib/etcd/.touch: permission denied',
          '65532',
          'chown',
          'fsGroup',
          'spec.podSettings',
        ],
        without: NO_LOG,
      },
    ],
    [
      'a flag that etcd does not know',
      {
        component: 'etcd',
        reason: 'FlagRejected',
        main: crashed(
          'flag provided but not defined: -nope\nUsage:\n\n  etcd [flags]\n    Start an etcd server.\n',
        ),
        says: ['no flag --nope'],
      },
    ],
    [
      'a full volume',
      {
        component: 'etcd',
        reason: 'VolumeFull',
        main: crashed(
          '{"level":"panic","msg":"failed to create snap","error":"write /var/lib/etcd/member/x: no space left on device"}\n',
        ),
      },
    ],
    [
      'a defect of the program',
      {
        component: 'karmada-scheduler',
        reason: 'CrashLoopBackOff',
        certain: true,
        main: crashed(
          'panic: runtime error: invalid memory address or nil pointer dereference\n\ngoroutine 1 [running]:\nmain.main()\n',
        ),
        says: ['panic: runtime error', 'defect of the program'],
        without: NO_LOG,
      },
    ],
    [
      'an etcd that is not reached',
      {
        reason: 'CrashLoopBackOff',
        main: crashed(
          'F1126 15:00:00.000000       1 instance.go:226] Error creating leases: error creating storage factory: context deadline exceeded\n',
        ),
        says: ['storage factory', 'EtcdReady'],
        without: NO_LOG,
      },
    ],
    [
      'lines that are not known to be harmless',
      {
        reason: 'CrashLoopBackOff',
        main: crashed('some text of a user\nW1126 15:00:00.000000       1 x.go:1] a warning\n'),
        says: [
          'exit code 1',
          'read its log with kubectl -n team logs karmada-demo-apiserver-abc-x1 -c kube-apiserver --previous',
        ],
        without: ['some text', 'a warning'],
      },
    ],
    [
      'the memory limit',
      {
        reason: 'OOMKilled',
        certain: true,
        objects: wishOf(LIMITED).objects.map(live),
        main: crashed('', { reason: 'OOMKilled', exitCode: 137 }),
        says: ['limit of 64Mi', 'raise spec.components.karmadaAPIServer.resources.limits.memory'],
        without: NO_LOG,
      },
    ],
    [
      'the memory limit of a LimitRange',
      {
        reason: 'OOMKilled',
        main: crashed('', { reason: 'OOMKilled', exitCode: 137 }),
        says: ['LimitRange', 'spec.components.karmadaAPIServer.resources.limits.memory'],
      },
    ],
    [
      'a command that does not exist',
      {
        reason: 'CommandNotFound',
        main: crashed('', { exitCode: 127 }),
        says: ['imageRepository'],
      },
    ],
    [
      'a kill by the kubelet',
      {
        reason: 'CrashLoopBackOff',
        main: crashed('', { exitCode: 137 }),
        says: ['liveness probe'],
      },
    ],
    [
      'an image of another architecture',
      {
        reason: 'ImageOfOtherPlatform',
        main: crashed('exec /usr/local/bin/kube-apiserver: exec format error\n', { exitCode: 255 }),
        says: ['architecture'],
      },
    ],
    [
      'nothing while it starts again after its first end',
      {
        reason: 'CrashLoopBackOff',
        certain: false,
        main: {
          restartCount: 1,
          state: { running: { startedAt: ago(3) } },
          lastState: { terminated: { exitCode: 1, reason: 'Error', finishedAt: ago(5) } },
        },
      },
    ],
    [
      'the same cause while a crashing container runs for a moment',
      {
        reason: 'FlagRejected',
        certain: true,
        main: {
          restartCount: 4,
          state: { running: { startedAt: ago(1) } },
          lastState: {
            terminated: { exitCode: 1, finishedAt: ago(2), message: 'Error: unknown flag: --x' },
          },
        },
      },
    ],
    [
      'nothing when it has become ready again',
      {
        reason: undefined,
        main: { ...crashed('Error: unknown flag: --x'), ready: true, state: { running: {} } },
      },
    ],
  ])('reports %s', (_, scene) => check(scene));

  it.each([
    ['sidecar', 'containerStatuses'],
    ['init container', 'initContainerStatuses'],
  ])('never quotes a %s', (_, list) => {
    const other = {
      name: 'plugin',
      ready: false,
      ...crashed('Error: unknown flag: --token=s3cr3t\n'),
    };
    const main = { name: 'kube-apiserver', ready: true, state: { running: {} } };
    const status = {
      containerStatuses: [main],
      [list]: [...(list === 'containerStatuses' ? [main] : []), other],
    };
    check({
      status,
      reason: 'SidecarFails',
      says: ['container plugin', 'exit code 1', 'kubectl -n team logs'],
      without: ['unknown flag', 's3cr3t'],
    });
  });

  it('quotes no Pod that another controller owns', () => {
    const pod: KubernetesObject = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'x',
        namespace: 'team',
        uid: 'x',
        labels: { 'app.kubernetes.io/name': API },
        ownerReferences: [
          {
            apiVersion: 'apps/v1',
            kind: 'ReplicaSet',
            name: 'other-1',
            uid: 'r',
            controller: true,
          },
        ],
      },
      status: {
        containerStatuses: [
          { name: 'kube-apiserver', ready: false, ...crashed('Error: buy my coins') },
        ],
      },
    };
    check({ pods: [pod], reason: 'SidecarFails', without: ['coins'] });
  });
});

const unscheduled = (message: string, seconds = 60): object => ({
  conditions: [
    {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message,
      lastTransitionTime: ago(seconds),
    },
  ],
});

const claim = (more: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'etcd-data-karmada-demo-etcd-0', namespace: 'team', uid: 'claim' },
  spec: { storageClassName: 'fast' },
  status: { phase: 'Pending' },
  ...more,
});
const FAST: KubernetesObject = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'fast' },
};
const UNBOUND = unscheduled('pod has unbound immediate PersistentVolumeClaims');
const onClaim = (reason: string, note: string, seconds = 5): { readonly events: never[] } => ({
  events: [
    { uid: 'claim', reason, note, count: 1, firstAt: NOW - 90_000, lastAt: NOW - seconds * 1_000 },
  ] as never[],
});
const etcd = (more: Partial<Case>): Case => ({
  component: 'etcd',
  reason: 'ClaimNotBound',
  ...more,
});

describe('componentCause for a Pod that does not start', () => {
  it.each<[string, Case]>([
    [
      'nodes that lack resources',
      {
        reason: 'Unschedulable',
        certain: true,
        status: unscheduled('0/1 nodes are available: 1 Insufficient memory.'),
        says: ['Insufficient memory', 'add nodes'],
      },
    ],
    [
      'a node that the autoscaler adds as progress',
      {
        reason: 'Unschedulable',
        certain: false,
        status: unscheduled('Insufficient memory'),
        told: [{ reason: 'TriggeredScaleUp', note: 'pod triggered scale-up' }],
      },
    ],
    [
      'a StorageClass that does not exist',
      etcd({
        certain: true,
        status: UNBOUND,
        more: { claims: [claim()], storageClasses: [] },
        says: [
          'PersistentVolumeClaim team/etcd-data-karmada-demo-etcd-0 of StorageClass fast',
          'does not exist',
          'spec.components.etcd.local.volumeData',
        ],
      }),
    ],
    [
      'a volume that is being created as progress',
      etcd({
        certain: false,
        status: UNBOUND,
        more: {
          claims: [claim()],
          storageClasses: [FAST],
          ...onClaim('Provisioning', 'External provisioner is provisioning volume'),
        },
        says: ['wait'],
      }),
    ],
    [
      'a slow provisioner as progress',
      etcd({
        certain: false,
        status: UNBOUND,
        more: {
          claims: [claim()],
          ...onClaim(
            'ProvisioningFailed',
            'failed to provision volume with StorageClass "fast": rpc error: code = DeadlineExceeded desc = context deadline exceeded',
          ),
        },
      }),
    ],
    [
      'a provisioner that fails',
      etcd({
        certain: true,
        status: UNBOUND,
        more: {
          claims: [claim()],
          ...onClaim(
            'ProvisioningFailed',
            'failed to provision volume with StorageClass "fast": rpc error: code = ResourceExhausted desc = token=abc',
          ),
        },
        says: ['ResourceExhausted'],
        without: ['abc'],
      }),
    ],
    [
      'a PVC of which nothing is known yet as progress',
      etcd({
        certain: false,
        status: UNBOUND,
        more: { claims: [claim()], storageClasses: [FAST] },
      }),
    ],
    [
      'nothing about a new PVC',
      etcd({
        reason: undefined,
        status: unscheduled('persistentvolumeclaim "etcd-data-karmada-demo-etcd-0" not found', 5),
      }),
    ],
    [
      'an image without access',
      {
        reason: 'ImagePullFailed',
        main: {
          state: {
            waiting: {
              reason: 'ErrImagePull',
              message: 'failed with status code [manifests v1]: 401 Unauthorized',
            },
          },
        },
        says: ['spec.imagePullSecrets', 'registry.example.com/x:v1'],
      },
    ],
    [
      'an image that does not exist',
      {
        reason: 'ImagePullFailed',
        main: { state: { waiting: { reason: 'ImagePullBackOff', message: 'not found' } } },
        says: ['check imageRepository and imageTag'],
      },
    ],
    [
      'a Secret in env',
      {
        reason: 'ContainerConfigError',
        main: {
          state: {
            waiting: { reason: 'CreateContainerConfigError', message: 'secret "proxy" not found' },
          },
        },
        says: ['Secret team/proxy does not exist', 'spec.podSettings'],
      },
    ],
    [
      'a key in env',
      {
        reason: 'ContainerConfigError',
        main: {
          state: {
            waiting: {
              reason: 'CreateContainerConfigError',
              message: "couldn't find key url in Secret team/proxy",
            },
          },
        },
        says: ['Secret team/proxy has no key url'],
      },
    ],
    [
      'an image that runs as root',
      {
        reason: 'ContainerConfigError',
        main: {
          state: {
            waiting: {
              reason: 'CreateContainerConfigError',
              message:
                'container has runAsNonRoot and image will run as root (pod: "x", container: y)',
            },
          },
        },
        says: ['runs as root'],
      },
    ],
    [
      'a program that the image lacks',
      {
        reason: 'CommandNotFound',
        main: {
          state: {
            waiting: {
              reason: 'RunContainerError',
              message:
                'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "kube-apiserver": executable file not found in $PATH: unknown',
            },
          },
        },
      },
    ],
    [
      'a volume of a missing ConfigMap',
      {
        reason: 'VolumeSourceMissing',
        certain: true,
        main: { state: { waiting: { reason: 'ContainerCreating' } } },
        told: [
          {
            reason: 'FailedMount',
            note: 'MountVolume.SetUp failed for volume "audit" : configmap "policy" not found',
          },
        ],
        says: [
          'volume audit',
          'ConfigMap team/policy does not exist',
          'spec.components.karmadaAPIServer.extraVolumes',
        ],
      },
    ],
    [
      'a volume whose Secret may follow as progress',
      {
        reason: 'VolumeSourceMissing',
        certain: false,
        main: { state: { waiting: { reason: 'ContainerCreating' } } },
        told: [
          {
            reason: 'FailedMount',
            count: 1,
            note: 'MountVolume.SetUp failed for volume "audit" : secret "policy" not found',
          },
        ],
      },
    ],
    [
      'a volume that another node uses',
      {
        component: 'etcd',
        reason: 'VolumeNotAttached',
        certain: false,
        main: { state: { waiting: { reason: 'ContainerCreating' } } },
        told: [
          {
            reason: 'FailedAttachVolume',
            note: 'Multi-Attach error for volume "pvc-1" Volume is already used by pod(s) x',
          },
        ],
        says: ['volume pvc-1', 'another node still uses it'],
      },
    ],
    [
      'a network plugin that fails',
      {
        reason: 'PodSandboxFailed',
        main: { state: { waiting: { reason: 'ContainerCreating' } } },
        told: [
          {
            reason: 'FailedCreatePodSandBox',
            note: 'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "abc": plugin type="calico" failed (add): secret stuff',
          },
        ],
        says: ['network plugin calico'],
        without: ['secret stuff'],
      },
    ],
    [
      'nothing from an Event of an unknown shape',
      {
        reason: undefined,
        main: { state: { waiting: { reason: 'ContainerCreating' } } },
        told: [{ reason: 'FailedMount', note: 'buy my coins' }],
      },
    ],
    [
      'nothing from an Event of the past',
      {
        reason: undefined,
        main: { ready: true, state: { running: {} } },
        told: [
          { reason: 'FailedMount', note: 'for volume "audit" : configmap "policy" not found' },
        ],
      },
    ],
    [
      'a node that is not ready',
      {
        reason: 'NodeNotReady',
        certain: false,
        main: { state: { running: { startedAt: ago(20) } } },
        more: { unreadyNodes: ['node-1'] },
        says: ['node-1'],
      },
    ],
    [
      'a Pod that its node ended',
      { reason: 'PodEvicted', certain: false, status: { phase: 'Failed', reason: 'Evicted' } },
    ],
  ])('reports %s', (_, scene) => check(scene));
});

describe('componentCause for a container that is not ready', () => {
  const running = (seconds: number): object => ({
    state: { running: { startedAt: ago(seconds) } },
  });
  const unhealthy = (note: string, container = 'kube-apiserver'): SceneInput['told'] => [
    { reason: 'Unhealthy', note, container },
  ];

  it.each<[string, Case]>([
    [
      'probes that it rejects',
      {
        reason: 'ProbeRefused',
        certain: true,
        spec: apiArgs({ 'anonymous-auth': 'false' }),
        main: running(20),
        told: unhealthy('Startup probe failed: HTTP probe failed with statuscode: 401'),
        says: ['HTTP 401', 'remove anonymous-auth from spec.components.karmadaAPIServer.extraArgs'],
        without: NO_LOG,
      },
    ],
    [
      'nothing while kube-apiserver creates the roles that permit probes',
      {
        reason: undefined,
        main: running(20),
        told: unhealthy('Startup probe failed: HTTP probe failed with statuscode: 403'),
      },
    ],
    [
      'a rejection of probes as progress when a flag may cause it',
      {
        reason: 'ProbeRefused',
        certain: false,
        spec: apiArgs({ 'authorization-mode': 'Node' }),
        main: running(20),
        told: unhealthy('Startup probe failed: HTTP probe failed with statuscode: 403'),
        says: ['HTTP 403', 'remove authorization-mode', 'or allow anonymous requests'],
        without: NO_LOG,
      },
    ],
    [
      'a rejection of probes that stays without a flag that causes it',
      {
        reason: 'ProbeRefused',
        certain: true,
        main: running(61),
        told: unhealthy('Startup probe failed: HTTP probe failed with statuscode: 403'),
        says: ['(HTTP 403); allow anonymous requests to its health endpoints'],
        without: ['remove'],
      },
    ],
    [
      'a rejection of probes that stays',
      {
        reason: 'ProbeRefused',
        certain: true,
        spec: apiArgs({ 'authorization-mode': 'Node' }),
        main: running(61),
        told: unhealthy('Startup probe failed: HTTP probe failed with statuscode: 403'),
        says: ['remove authorization-mode from spec.components.karmadaAPIServer.extraArgs'],
      },
    ],
    [
      'a probe without a listener as progress',
      {
        reason: 'ProbeFails',
        certain: false,
        main: running(20),
        told: unhealthy(
          'Startup probe failed: Get "https://10.0.0.1:5443/readyz": dial tcp 10.0.0.1:5443: connect: connection refused',
        ),
        says: ['nothing listens'],
      },
    ],
    [
      'a failing health endpoint as progress',
      {
        reason: 'ProbeFails',
        certain: false,
        main: running(20),
        told: unhealthy('Readiness probe failed: HTTP probe failed with statuscode: 500'),
        says: ['HTTP 500'],
      },
    ],
    [
      'nothing from the probe of a sidecar',
      {
        reason: undefined,
        main: running(20),
        told: unhealthy('Readiness probe failed: HTTP probe failed with statuscode: 401', 'plugin'),
      },
    ],
    [
      'nothing from a probe of an earlier start',
      {
        reason: undefined,
        main: running(20),
        told: [
          {
            reason: 'Unhealthy',
            container: 'kube-apiserver',
            note: 'Startup probe failed: HTTP probe failed with statuscode: 401',
            lastAt: NOW - 60_000,
          },
        ],
      },
    ],
    [
      'a container that runs for a minute as progress',
      { reason: 'ProbeFails', certain: false, main: running(61) },
    ],
    ['nothing about a container that has just started', { reason: undefined, main: running(5) }],
  ])('reports %s', (_, scene) => check(scene));
});

describe('componentCause for refused Pods', () => {
  const condition = (message: string): SceneInput['workloadStatus'] => ({
    conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message }],
  });
  const refusedBy = (text: string): string => `pods "x" is forbidden: ${text}`;

  it.each<[string, string, string, readonly string[]]>([
    [
      'a quota',
      'exceeded quota: small, requested: limits.cpu=1, used: limits.cpu=0, limited: limits.cpu=500m',
      'QuotaExceeded',
      ['ResourceQuota small is exceeded', 'limited to limits.cpu=500m', '.resources, or'],
    ],
    [
      'a PriorityClass that needs a quota',
      'insufficient quota to match these scopes: [{PriorityClass In [system-node-critical system-cluster-critical]}]',
      'QuotaExceeded',
      [
        'the cluster admits their PriorityClass (one of system-node-critical, system-cluster-critical) only in a namespace with a ResourceQuota for it; set another class in spec.components.',
        '.priorityClassName, or priorityClassName in spec.podSettings',
      ],
    ],
    [
      'any PriorityClass that needs a quota',
      'insufficient quota to match these scopes: [{PriorityClass Exists []}]',
      'QuotaExceeded',
      ['the cluster admits their PriorityClass only in a namespace with a ResourceQuota for it'],
    ],
    [
      'security context constraints',
      'unable to validate against any security context constraint: [provider "restricted-v2": .containers[0].runAsUser: Invalid value: 65532: must be in the ranges: [1000680000, 1000689999]]',
      'PodSecurityRefused',
      ['no SecurityContextConstraints of OpenShift', 'securityContext.runAsUser'],
    ],
    [
      'a quota that requires limits',
      'failed quota: small: must specify limits.memory for: etcd',
      'QuotaExceeded',
      ['requires limits.memory'],
    ],
    [
      'Pod Security',
      'violates PodSecurity "restricted:latest": hostPath volumes (volume "etcd-data")',
      'PodSecurityRefused',
      ['Pod Security level restricted:latest', 'pod-security.kubernetes.io/enforce'],
    ],
    [
      'a webhook',
      'admission webhook "policy.example.com" denied the request: label team is missing',
      'WebhookRefusesPods',
      ['policy.example.com', 'label team is missing'],
    ],
    [
      'a PriorityClass',
      'no PriorityClass with name high was found',
      'PodsRefused',
      ['PriorityClass high does not exist'],
    ],
    ['something else', 'a reason of the future', 'PodsRefused', ['a reason of the future']],
  ])(
    'reports %s from the condition of a Deployment and from the Event of a StatefulSet',
    (_, text, reason, says) => {
      check({
        reason,
        says: ['Deployment team/karmada-demo-apiserver', ...says],
        certain: true,
        pods: [],
        workloadStatus: condition(refusedBy(text)),
      });
      const told = {
        reason: 'FailedCreate',
        note: `create Pod x in StatefulSet y failed error: ${refusedBy(text)}`,
      };
      check({
        component: 'etcd',
        reason,
        says: ['StatefulSet team/karmada-demo-etcd', ...says],
        certain: true,
        pods: [],
        workloadTold: [told],
      });
    },
  );

  it('reports a webhook that does not respond', () => {
    const message =
      'Internal error occurred: failed calling webhook "dead.example.com": failed to call webhook: Post "https://x": dial tcp';
    check({
      reason: 'WebhookRefusesPods',
      says: ['dead.example.com'],
      pods: [],
      workloadStatus: condition(message),
    });
  });

  it.each([
    ['before the last Pod was created', 120_000],
    ['in the second in which the last Pod was created', 89_500],
  ])('ignores a refusal %s', (_, sinceMs) => {
    const told = {
      reason: 'FailedCreate',
      note: refusedBy('exceeded quota'),
      lastAt: NOW - sinceMs,
    };
    check({ component: 'etcd', reason: undefined, workloadTold: [told] });
  });
});
