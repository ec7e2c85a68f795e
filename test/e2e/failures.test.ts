/**
 * @size large
 * @sample medium
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Condition, Karmada } from '../../src/api/karmada.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { etcdTags, karmadaReleases } from '../../tools/embedded-cluster/releases.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { untilReady } from '../harness/control-plane.ts';
import { installOperator } from '../harness/operator.ts';
import { patchAsPlanned } from '../harness/plan.ts';
import { drawn } from '../harness/sample.ts';

const name = 'karmada';
/** Time without progress after which a control plane has failed. */
const DEADLINE_S = 90;

interface Failure {
  /** Last part of the Namespace name. */
  readonly id: string;
  readonly what: string;
  /** Initial components and spec of the Karmada, and the merge patch of the spec that corrects them. */
  readonly components?: object;
  readonly spec?: object;
  readonly repair?: object;
  /** An additional object in the Namespace. Its deletion solves the problem. */
  readonly obstacle?: { readonly kind: string; readonly object: object };
  /** The missing object. Its creation solves the problem. */
  readonly remedy?: object;
  /** Type of the condition that reports the problem. */
  readonly type: string;
  readonly reason: string;
  /** Deadline of the condition in milliseconds. */
  readonly within?: number;
  /** Whether the component may only be slow: the control plane fails when it makes no progress for too long. */
  readonly isSuspected?: true;
  /** Patterns or parts of the message: the object and the action for the user. */
  readonly says: readonly (RegExp | string)[];
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
    components: { ...emptyDir, karmadaScheduler: { imageTag: `${karmadaReleases.current}-none` } },
    repair: { components: { karmadaScheduler: { imageTag: karmadaReleases.current } } },
    type: 'SchedulerReady',
    reason: 'ImagePullFailed',
    says: [
      /Pod .*karmada-scheduler-/,
      `karmada-scheduler:${karmadaReleases.current}-none`,
      /check .* imageTag/,
    ],
  },
  {
    id: 'etcd',
    what: 'an etcd image that cannot be pulled, with the data in an emptyDir',
    components: {
      etcd: { local: { imageTag: `${etcdTags.current}-none`, volumeData: { emptyDir: {} } } },
    },
    repair: { components: { etcd: { local: { imageTag: etcdTags.current } } } },
    type: 'EtcdReady',
    reason: 'ImagePullFailed',
    says: [/Pod .*karmada-etcd-0/, /etcd:3\.6\.\d+-0-none/, /check .* imageTag/],
  },
  {
    id: 'claim',
    what: 'a PVC with a missing StorageClass',
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
    what: 'a PVC with a misspelled StorageClass name',
    components: claimOf('loacl-path'),
    repair: { components: claimOf('local-path') },
    type: 'EtcdReady',
    reason: 'ClaimNotBound',
    says: [/StorageClass loacl-path/, /spec\.components\.etcd\.local\.volumeData/],
  },
  {
    id: 'quota',
    what: 'a ResourceQuota that admits no Pods',
    components: emptyDir,
    obstacle: quota({ pods: '0' }),
    type: 'EtcdReady',
    reason: 'QuotaExceeded',
    within: 15_000,
    says: [/StatefulSet .*karmada-etcd: cannot create Pods/, /raise the ResourceQuota/],
  },
  {
    id: 'flag',
    what: 'an unknown flag of a component',
    components: { ...emptyDir, karmadaScheduler: { extraArgs: { 'no-such-flag': 'x' } } },
    repair: { components: { karmadaScheduler: { extraArgs: null } } },
    type: 'SchedulerReady',
    reason: 'FlagRejected',
    says: [
      /Pod .*karmada-scheduler-/,
      /no flag --no-such-flag/,
      /remove no-such-flag from spec\.components\.karmadaScheduler\.extraArgs/,
    ],
  },
  {
    id: 'probe',
    what: 'a component that never passes its probe',
    components: {
      ...emptyDir,
      karmadaAggregatedAPIServer: { extraArgs: { 'etcd-readycheck-timeout': '1ns' } },
    },
    repair: { components: { karmadaAggregatedAPIServer: { extraArgs: null } } },
    type: 'AggregatedAPIServerReady',
    reason: 'ProbeFails',
    isSuspected: true,
    says: [/Pod .*karmada-aggregated-apiserver-/, /probe fails/, /kubectl -n \S+ logs/],
  },
  {
    id: 'domain',
    what: 'a DNS domain that cannot be resolved',
    components: { etcd: { local: {} } },
    spec: { hostCluster: { networking: { dnsDomain: 'wrong.example' } } },
    repair: { hostCluster: { networking: { dnsDomain: 'cluster.local' } } },
    type: 'Ready',
    reason: 'Failed',
    says: [/wrong\.example/, /spec\.hostCluster\.networking\.dnsDomain/],
  },
];

const titleOf = ({ what }: Failure): string =>
  `reports ${what} with its object and the action, and becomes Ready when it is corrected`;

describeCluster('problems of a control plane', () => {
  let cluster: Cluster;

  const namespaceOf = ({ id }: Failure): string => `failure-${id}`;

  async function condition(failure: Failure, type: string): Promise<Condition | undefined> {
    const found = await getObject<Karmada>(cluster, 'karmada', name, namespaceOf(failure));
    return found.status?.conditions?.find((item) => item.type === type);
  }

  async function create(failure: Failure): Promise<void> {
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

  async function correct(failure: Failure): Promise<void> {
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
    await installOperator(cluster, {
      operator: { extraArgs: [`--progress-deadline=${String(DEADLINE_S)}s`] },
    });
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

  it.each(drawn(failures, 2, titleOf).map((one) => [titleOf(one), one] as const))(
    '%s',
    async (_, failure) => {
      await create(failure);
      const seenAt = await poll(
        `${failure.type} has the reason ${failure.reason}`,
        async (seen) => {
          const found = await condition(failure, failure.type);
          seen(JSON.stringify(found));
          return found?.reason === failure.reason ? found : undefined;
        },
        { deadlineMs: failure.within ?? 150_000 },
      );
      for (const text of failure.says) expect(seenAt.message).toMatch(text);
      await poll(
        `Ready names the cause of ${failure.type}`,
        async (seen) => {
          const [found, ready] = [
            await condition(failure, failure.type),
            await condition(failure, 'Ready'),
          ];
          seen(JSON.stringify({ found, ready }));
          const { status, message = '' } = ready ?? {};
          return status === 'False' && message.includes(found?.message ?? '-') ? true : undefined;
        },
        { deadlineMs: failure.within ?? 150_000 },
      );
      await poll(
        'Degraded is True',
        async (seen) => {
          const found = await condition(failure, 'Degraded');
          seen(JSON.stringify(found));
          return found?.status === 'True' ? true : undefined;
        },
        { deadlineMs: failure.isSuspected === true ? 3 * DEADLINE_S * 1_000 : 60_000 },
      );
      await correct(failure);
      await untilReady(cluster, name, namespaceOf(failure));
      await remove(failure);
    },
    420_000,
  );
});
