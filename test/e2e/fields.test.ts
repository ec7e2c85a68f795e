/** @size small */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import type { Karmada } from '../../src/api/karmada.ts';
import { conditionOf, type KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { nodeName } from '../../tools/embedded-cluster/configuration.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { openControlPlane, untilReady } from '../harness/control-plane.ts';
import { servedCertificate } from '../harness/run-on-node.ts';
import { installOperator } from '../harness/operator.ts';

const namespace = 'fields-test';
const name = 'karmada';
const inNamespace = ['-n', namespace];

const toleration = { key: 'example.com/karmada', operator: 'Exists', effect: 'NoSchedule' };
const affinity = {
  nodeAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      {
        weight: 1,
        preference: { matchExpressions: [{ key: 'example.com/karmada', operator: 'Exists' }] },
      },
    ],
  },
};

const imagePullSecrets = [{ name: 'registry-credentials' }];

/** Settings of every component. Each value is visible in the workloads. */
const common = {
  labels: { 'example.com/team': 'platform' },
  annotations: { 'example.com/note': 'a: {b} "c"' },
  priorityClassName: 'system-cluster-critical',
  resources: { requests: { cpu: '11m', memory: '33Mi' } },
  tolerations: [toleration],
  affinity,
  podDisruptionBudgetConfig: { maxUnavailable: 1 },
};

const spread = {
  maxSkew: 1,
  topologyKey: 'kubernetes.io/hostname',
  whenUnsatisfiable: 'ScheduleAnyway',
};

const allPods = {
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  topologySpreadConstraints: [spread],
  env: [
    { name: 'EXAMPLE_NOTE', value: 'a: {b} "c"' },
    { name: 'EXAMPLE_NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
  ],
  podSecurityContext: { fsGroup: 3000, supplementalGroups: [4000] },
  securityContext: { runAsUser: 2000, runAsGroup: 2001 },
  runtimeClassName: 'fields-test',
};

/** Settings of the Pods of all components, and an entry that changes some of them for one component. */
const podSettings = [
  allPods,
  { components: ['karmadaWebhook'], env: [{ name: 'EXAMPLE_NOTE', value: 'webhook' }] },
];

/** Labels that select the Pods of a component. */
const selectorOf = (component: string): object => ({
  matchLabels: {
    'app.kubernetes.io/name': component,
    'app.kubernetes.io/instance': name,
    ...(component === 'karmada-search' && { apiserver: 'true' }),
  },
});

const runtimeClass = {
  apiVersion: 'node.k8s.io/v1',
  kind: 'RuntimeClass',
  metadata: { name: 'fields-test' },
  // The default runtime of containerd.
  handler: 'runc',
};

const everyField = {
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name, namespace },
  spec: {
    hostCluster: { networking: { dnsDomain: 'cluster.local' } },
    featureGates: { MultiClusterService: true },
    imagePullSecrets,
    podSettings,
    components: {
      etcd: {
        local: {
          ...common,
          volumeData: { emptyDir: { sizeLimit: '1Gi' } },
          replacementGracePeriod: '20m',
          serverCertSANs: ['etcd.example.com'],
          peerCertSANs: ['peer.example.com'],
        },
      },
      karmadaAPIServer: {
        ...common,
        serviceType: 'NodePort',
        serviceSubnet: '10.123.0.0/16',
        serviceAnnotations: { 'example.com/service': 'yes' },
        certSANs: ['karmada.example.com', '192.0.2.7'],
        extraArgs: { 'max-requests-inflight': '321' },
        featureGates: { WatchList: true },
        extraVolumes: [{ name: 'extra', configMap: { name: 'extra' } }],
        extraVolumeMounts: [{ name: 'extra', mountPath: '/etc/extra', readOnly: true }],
        sidecarContainers: [
          { name: 'sidecar', image: 'docker.io/library/busybox:1.36', command: ['sleep', '3600'] },
        ],
      },
      karmadaAggregatedAPIServer: {
        ...common,
        certSANs: ['aggregated.example.com'],
        extraArgs: { v: '3' },
        featureGates: { CustomizedClusterResourceModeling: false },
      },
      kubeControllerManager: {
        ...common,
        controllers: ['namespace', 'garbagecollector', 'serviceaccount', 'serviceaccount-token'],
        extraArgs: { 'kube-api-qps': '77' },
      },
      karmadaControllerManager: {
        ...common,
        controllers: ['*', '-hpaScaleTargetMarker'],
        extraArgs: { v: '3' },
        featureGates: { Failover: true },
      },
      karmadaScheduler: {
        ...common,
        extraArgs: { v: '3' },
        featureGates: { MultiplePodTemplatesScheduling: true },
      },
      karmadaWebhook: { ...common, extraArgs: { v: '3' } },
      karmadaMetricsAdapter: { ...common, replicas: 1, extraArgs: { v: '3' } },
      karmadaDescheduler: { ...common, extraArgs: { v: '3' } },
      karmadaSearch: { ...common, extraArgs: { v: '3' } },
    },
  },
};

/** Required flags in the command of each component, by name suffix. */
const flags: Readonly<Record<string, readonly string[]>> = {
  apiserver: ['--max-requests-inflight=321', '--feature-gates=WatchList=true'],
  'aggregated-apiserver': ['--v=3', 'CustomizedClusterResourceModeling=false'],
  'kube-controller-manager': [
    '--kube-api-qps=77',
    '--controllers=namespace,garbagecollector,serviceaccount,serviceaccount-token',
  ],
  'controller-manager': [
    '--controllers=*,-hpaScaleTargetMarker',
    'Failover=true',
    'MultiClusterService=true',
  ],
  scheduler: ['--v=3', 'MultiplePodTemplatesScheduling=true', 'MultiClusterService=true'],
  webhook: ['--v=3'],
  'metrics-adapter': ['--v=3'],
  descheduler: ['--v=3'],
  search: ['--v=3'],
};

interface Workload extends KubernetesObject {
  spec: {
    template: {
      metadata: { labels: object; annotations: object };
      spec: {
        priorityClassName: string;
        tolerations: object[];
        affinity: object;
        imagePullSecrets: object[];
        containers: { name: string; command?: string[]; resources: object }[];
      };
    };
  };
}

interface RunningPod extends KubernetesObject {
  spec: {
    nodeSelector?: object;
    topologySpreadConstraints?: object[];
    securityContext?: object;
    runtimeClassName?: string;
    containers: { env?: { name: string; value?: string }[]; securityContext?: object }[];
  };
  status: { phase: string };
}

describeCluster('fields of a Karmada', () => {
  let cluster: Cluster;
  let ready: Karmada;

  const list = async <T extends KubernetesObject>(kinds: string): Promise<T[]> => {
    const json = await kubectl(cluster, ['get', kinds, ...inNamespace, '-o', 'json']);
    return (JSON.parse(json) as { items: T[] }).items;
  };

  /** Returns the SANs of the certificate that a Pod of a component serves on a port. */
  async function servedNames(component: string, port: number): Promise<string> {
    const pods = await list('pods');
    const pod = pods.find(
      ({ metadata }) => metadata.labels?.['app.kubernetes.io/name'] === component,
    );
    const { podIP: host = '' } = (pod?.['status'] ?? {}) as { podIP?: string };
    return (await servedCertificate(cluster, { host, port })).subjectAltName ?? '';
  }

  beforeAll(async () => {
    cluster = await useCluster(['busybox', 'etcd', 'kubernetes', 'karmada']);
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--timeout=180s']);
    await installOperator(cluster);
    const extra = { metadata: { name: 'extra', namespace }, data: { hello: 'there' } };
    await apply(
      cluster,
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      { apiVersion: 'v1', kind: 'ConfigMap', ...extra },
      runtimeClass,
      everyField,
    );
    ready = await untilReady(cluster, name, namespace);
  }, 1_800_000);

  afterAll(async () => {
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
    await tryKubectl(cluster, ['delete', 'runtimeclass', runtimeClass.metadata.name]);
  }, 120_000);

  it('result in a running control plane when all are set', () => {
    expect(ready.status?.phase).toBe('Running');
    expect(ready.status?.componentsReady).toBe('10/10');
  });

  it('apply podSettings to every running Pod', async () => {
    const pods = await list<RunningPod>('pods');
    expect(pods).toHaveLength(Object.keys(flags).length + 1);
    for (const { metadata, spec, status } of pods) {
      const component = metadata.labels?.['app.kubernetes.io/name'] ?? '';
      const [main] = spec.containers;
      expect(status.phase).toBe('Running');
      expect(spec).toMatchObject({
        nodeSelector: allPods.nodeSelector,
        runtimeClassName: allPods.runtimeClassName,
        topologySpreadConstraints: [{ ...spread, labelSelector: selectorOf(component) }],
        securityContext: { ...allPods.podSecurityContext, fsGroupChangePolicy: 'OnRootMismatch' },
      });
      expect(main?.securityContext).toMatchObject({
        ...allPods.securityContext,
        runAsNonRoot: true,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      const own = podSettings.at(component === 'karmada-webhook' ? 1 : 0)?.env[0];
      expect(main?.env).toContainEqual(own);
      expect(main?.env?.map((one) => one.name)).toContain('EXAMPLE_NODE');
    }
  }, 60_000);

  it('set labels, scheduling, resources and flags in every workload', async () => {
    const workloads = await list<Workload>('deployments,statefulsets');
    expect(workloads).toHaveLength(Object.keys(flags).length + 1);
    for (const { metadata, spec } of workloads) {
      const { metadata: pod, spec: settings } = spec.template;
      expect(metadata.labels).toMatchObject(common.labels);
      expect(pod).toMatchObject({ labels: common.labels, annotations: common.annotations });
      expect(settings).toMatchObject({
        priorityClassName: common.priorityClassName,
        tolerations: [toleration],
        affinity,
        imagePullSecrets,
      });
      expect(settings.containers[0]?.resources).toEqual(common.resources);
      const command = (settings.containers[0]?.command ?? []).join('\n');
      for (const flag of flags[metadata.name.slice(name.length + 1)] ?? [])
        expect(command).toContain(flag);
    }
    const budgets = await list('poddisruptionbudgets');
    expect(budgets).toHaveLength(workloads.length);
  }, 60_000);

  it('apply volumes, sidecar, flags and Service range to the running API server', async () => {
    const target = `deployment/${name}-apiserver`;
    const inside = ['exec', target, ...inNamespace, '-c', 'sidecar', '--', 'sh', '-c', 'true'];
    await kubectl(cluster, inside);
    const pods = await list('pods');
    const server = pods.find(
      ({ metadata }) => metadata.labels?.['app.kubernetes.io/name'] === 'karmada-apiserver',
    );
    expect(JSON.stringify(server?.['spec'])).toContain('"mountPath":"/etc/extra"');
    const plane = await openControlPlane(cluster, name, namespace);
    const service = ['get', 'service', 'kubernetes', '-n', 'default', '-o'];
    expect(await plane.kubectl([...service, 'jsonpath={.spec.clusterIP}'])).toBe('10.123.0.1');
    const features = await plane.kubectl(['get', '--raw', '/metrics']);
    expect(features).toMatch(/kubernetes_feature_enabled\{name="WatchList",[^}]*\} 1/);
  }, 60_000);

  it('add certSANs to the serving certificates', async () => {
    const server = await servedNames('karmada-apiserver', 5443);
    expect(server).toContain('DNS:karmada.example.com');
    expect(server).toContain('IP Address:192.0.2.7');
    expect(server).toContain('IP Address:10.123.0.1');
    const aggregated = await servedNames('karmada-aggregated-apiserver', 8443);
    expect(aggregated).toContain('DNS:aggregated.example.com');
    expect(await servedNames('etcd', 2379)).toContain('DNS:etcd.example.com');
    expect(await servedNames('etcd', 2380)).toContain('DNS:peer.example.com');
  }, 60_000);

  it('serve a NodePort from outside with the unchanged kubeconfig when serviceType is NodePort', async () => {
    const { data } = await getObject<{ data: Record<string, string> }>(
      ...([cluster, 'secret', `${name}-admin-config`, namespace] as const),
    );
    const kubeconfig = Buffer.from(data['kubeconfig'] ?? '', 'base64').toString('utf8');
    const config = load(kubeconfig) as { clusters: { cluster: { server: string } }[] };
    const server = new URL(config.clusters[0]?.cluster.server ?? '');
    const { status } = await getObject<{ status: { addresses: object[] } }>(
      ...([cluster, 'node', nodeName(cluster.name), namespace] as const),
    );
    expect(status.addresses).toContainEqual({ type: 'InternalIP', address: server.hostname });
    const service = await getObject<KubernetesObject & { spec: { ports: { nodePort: number }[] } }>(
      ...([cluster, 'service', `${name}-apiserver`, namespace] as const),
    );
    expect(server.port).toBe(String(service.spec.ports[0]?.nodePort));
    expect(service.metadata.annotations).toMatchObject({ 'example.com/service': 'yes' });
    const file = join(await mkdtemp(join(tmpdir(), 'node-port-')), 'kubeconfig');
    await writeFile(file, kubeconfig, { mode: 0o600 });
    const names = ['get', 'namespace', 'karmada-system', '-o', 'name'];
    const found = await run([join(cluster.bin, 'kubectl'), '--kubeconfig', file, ...names]);
    expect(found).toBe('namespace/karmada-system\n');
  }, 60_000);

  it('report the field path when a value is invalid', async () => {
    const change = (spec: object): ReturnType<typeof tryKubectl> => {
      const patch = JSON.stringify({ spec });
      const merge = ['patch', 'karmada', name, ...inNamespace, '--type=merge', '-p', patch];
      return tryKubectl(cluster, merge);
    };
    const byServer = await change({ hostCluster: { networking: { dnsDomain: 'x_y' } } });
    expect(byServer.code).not.toBe(0);
    expect(byServer.stderr).toContain('spec.hostCluster.networking.dnsDomain');
    // The CRD schema does not validate this annotation.
    const cost = 'controller.kubernetes.io/pod-deletion-cost';
    const setCost = (value: string | null): ReturnType<typeof tryKubectl> =>
      change({ components: { karmadaWebhook: { annotations: { [cost]: value } } } });
    expect((await setCost('x')).code).toBe(0);
    const refused = await poll('the operator rejects the annotation', async (seen) => {
      const found = await getObject<KubernetesObject>(cluster, 'karmada', name, namespace);
      const condition = conditionOf(found, 'Ready');
      seen(JSON.stringify(condition));
      return condition?.reason === 'ValidationError' ? condition : undefined;
    });
    expect(refused.message).toContain(`spec.components.karmadaWebhook.annotations["${cost}"]`);
    expect((await setCost(null)).code).toBe(0);
    await untilReady(cluster, name, namespace);
  }, 60_000);
});
