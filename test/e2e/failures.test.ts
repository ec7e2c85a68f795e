import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Condition, Karmada } from '../../src/api/karmada.ts';
import { kubectl, tryKubectl, type Cluster } from '../cluster/cluster.ts';
import { poll } from '../cluster/poll.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { untilReady } from '../harness/control-plane.ts';
import { installOperator } from '../harness/operator.ts';
import { patchAsPlanned } from '../harness/plan.ts';
import { drawn } from '../harness/sample.ts';

const name = 'karmada';

interface Failure {
  /** Last part of the namespace. */
  readonly id: string;
  readonly what: string;
  /** Components of the Karmada at first, and the patch of its spec that mends them. */
  readonly components?: object;
  readonly spec?: object;
  readonly repair?: object;
  /** What else is in the namespace at first, and has to be deleted to mend it. */
  readonly obstacle?: { readonly kind: string; readonly object: object };
  /** An object whose absence is the failure. */
  readonly remedy?: object;
  /** Condition of the component that has the problem. */
  readonly type: string;
  readonly reason: string;
  /** How soon it has to be named, in milliseconds. */
  readonly within?: number;
  /** The object and the remedy. */
  readonly says: readonly RegExp[];
}

const emptyDir = { etcd: { local: { volumeData: { emptyDir: {} } } } };

function quota(hard: object): Failure['obstacle'] {
  const metadata = { name: 'none' };
  return {
    kind: 'resourcequota',
    object: { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard } },
  };
}

const claimOf = (storageClassName: string): object => ({
  etcd: {
    local: {
      volumeData: {
        volumeClaim: {
          spec: {
            storageClassName,
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: '1Gi' } },
          },
        },
      },
    },
  },
});

const failures: readonly Failure[] = [
  {
    id: 'image',
    what: 'an image that cannot be pulled',
    components: { ...emptyDir, karmadaScheduler: { imageTag: 'v1.17.1-none' } },
    repair: { components: { karmadaScheduler: { imageTag: 'v1.17.1' } } },
    type: 'SchedulerReady',
    reason: 'ImagePullFailed',
    says: [/Pod .*karmada-scheduler-/, /karmada-scheduler:v1\.17\.1-none/, /check .* imageTag/],
  },
  {
    id: 'etcd',
    what: 'an image of etcd that cannot be pulled, whose data would be in its pod',
    components: {
      etcd: { local: { imageTag: '3.6.6-none', volumeData: { emptyDir: {} } } },
    },
    repair: { components: { etcd: { local: { imageTag: '3.6.6-0' } } } },
    type: 'EtcdReady',
    reason: 'ImagePullFailed',
    says: [/Pod .*karmada-etcd-0/, /etcd:3\.6\.6-none/, /check .* imageTag/],
  },
  {
    id: 'claim',
    what: 'a claim whose storage class is not there',
    components: claimOf('failure-none'),
    remedy: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'failure-none' },
      provisioner: 'embedded.cluster/local-path',
      volumeBindingMode: 'WaitForFirstConsumer',
    },
    type: 'EtcdReady',
    reason: 'ClaimNotBound',
    says: [/Claim .*etcd-data-karmada-etcd-0/, /StorageClass failure-none/],
  },
  {
    id: 'class',
    what: 'a claim with the name of its storage class misspelt',
    components: claimOf('loacl-path'),
    repair: { components: claimOf('local-path') },
    type: 'EtcdReady',
    reason: 'ClaimNotBound',
    says: [/StorageClass loacl-path/, /spec\.components\.etcd\.local\.volumeData/],
  },
  {
    id: 'quota',
    what: 'a quota that admits no pod',
    components: emptyDir,
    obstacle: quota({ pods: '0' }),
    type: 'EtcdReady',
    reason: 'PodsRefused',
    within: 15_000,
    says: [/StatefulSet .*karmada-etcd has 0 of 1 Pods/, /kubectl describe/, /raise the quota/],
  },
  {
    id: 'flag',
    what: 'a flag that the program does not know',
    components: { ...emptyDir, karmadaScheduler: { extraArgs: { 'no-such-flag': 'x' } } },
    repair: { components: { karmadaScheduler: { extraArgs: null } } },
    type: 'SchedulerReady',
    reason: 'CrashLoopBackOff',
    says: [/Pod .*karmada-scheduler-/, /ended with code 1/, /kubectl logs --previous/],
  },
  {
    id: 'probe',
    what: 'a program that never answers its probe',
    components: {
      ...emptyDir,
      karmadaWebhook: { extraArgs: { 'secure-port': '9443' } },
    },
    repair: { components: { karmadaWebhook: { extraArgs: null } } },
    type: 'WebhookReady',
    reason: 'ProbeFails',
    says: [/Pod .*karmada-webhook-/, /probe fails/, /kubectl logs/],
  },
  {
    id: 'domain',
    what: 'a DNS domain that nobody resolves',
    components: { etcd: { local: {} } },
    spec: { hostCluster: { networking: { dnsDomain: 'wrong.example' } } },
    repair: { hostCluster: { networking: { dnsDomain: 'cluster.local' } } },
    type: 'Ready',
    reason: 'Failed',
    says: [/wrong\.example/, /spec\.hostCluster\.networking\.dnsDomain/],
  },
];

const titleOf = ({ what }: Failure): string =>
  `${what} is named with its object and the remedy, and is mended by a patch`;

describeCluster('what is wrong with an instance', () => {
  let cluster: Cluster;

  const namespaceOf = ({ id }: Failure): string => `failure-${id}`;

  async function condition(failure: Failure, type: string): Promise<Condition | undefined> {
    const found = await getObject<Karmada>(cluster, 'karmada', name, namespaceOf(failure));
    return found.status?.conditions?.find((item) => item.type === type);
  }

  async function make(failure: Failure): Promise<void> {
    const namespace = namespaceOf(failure);
    const { components, spec, obstacle } = failure;
    const metadata = { name, namespace };
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    if (obstacle !== undefined)
      await kubectl(
        cluster,
        ['create', '-n', namespace, '-f', '-'],
        JSON.stringify(obstacle.object),
      );
    await apply(cluster, {
      apiVersion: 'operator.karmada.io/v1alpha1',
      kind: 'Karmada',
      metadata,
      spec: {
        ...spec,
        components: { ...components, karmadaMetricsAdapter: { replicas: 1 } },
      },
    });
  }

  async function mend(failure: Failure): Promise<void> {
    const inNamespace = ['-n', namespaceOf(failure)];
    if (failure.obstacle)
      await kubectl(cluster, ['delete', failure.obstacle.kind, '--all', ...inNamespace]);
    if (failure.remedy) await apply(cluster, failure.remedy);
    const instance = { name, namespace: namespaceOf(failure) };
    if (failure.repair) await patchAsPlanned(cluster, instance, failure.repair);
  }

  async function remove(failure: Failure): Promise<void> {
    const namespace = namespaceOf(failure);
    await tryKubectl(cluster, ['delete', 'karmada', '--all', '-n', namespace, '--timeout=90s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
  }

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await installOperator(cluster);
    await kubectl(cluster, ['delete', 'storageclass', 'failure-none', '--ignore-not-found']);
    for (const failure of failures) {
      await remove(failure);
      const gone = ['delete', 'namespace', namespaceOf(failure), '--timeout=120s'];
      await tryKubectl(cluster, gone);
    }
  }, 1_800_000);

  afterAll(async () => {
    for (const failure of failures) await remove(failure);
    await kubectl(cluster, ['delete', 'storageclass', 'failure-none', '--ignore-not-found']);
  }, 300_000);

  it.each(drawn('e2e/failures', failures, 2, titleOf).map((one) => [titleOf(one), one] as const))(
    '%s',
    async (_, failure) => {
      await make(failure);
      const seenAt = await poll(
        `${failure.type} says ${failure.reason}`,
        async (seen) => {
          const found = await condition(failure, failure.type);
          seen(JSON.stringify(found));
          return found?.reason === failure.reason ? found : undefined;
        },
        { deadlineMs: failure.within ?? 150_000 },
      );
      for (const text of failure.says) expect(seenAt.message).toMatch(text);
      const ready = await condition(failure, 'Ready');
      expect(ready).toMatchObject({ status: 'False', message: seenAt.message });
      expect(await condition(failure, 'Degraded')).toMatchObject({ status: 'True' });
      await mend(failure);
      await untilReady(cluster, name, namespaceOf(failure));
      await remove(failure);
    },
    420_000,
  );
});
