/**
 * The upgrade of a Karmada whose tags are set per component, with the patch of the README of the Go operator.
 *
 * @size medium
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Karmada } from '../../src/api/karmada.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { karmadaReleases } from '../../tools/embedded-cluster/releases.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { untilReady } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { installOperator } from '../harness/operator.ts';

const { current, previous } = karmadaReleases;
const namespace = 'upgrade-tags-test';
const name = 'karmada';
const inNamespace = ['-n', namespace];

/** The components of the patch in the README, which leaves out the metrics adapter. */
const tags = (imageTag: string): object => ({
  karmadaAggregatedAPIServer: { imageTag },
  karmadaControllerManager: { imageTag },
  karmadaScheduler: { imageTag },
  karmadaWebhook: { imageTag },
});

const karmada = {
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name, namespace },
  spec: {
    components: {
      ...tags(previous),
      etcd: { local: { volumeData: { emptyDir: {} } } },
      karmadaMetricsAdapter: { replicas: 1 },
    },
  },
};

describeCluster('an upgrade by the tags of four components', () => {
  let cluster: Cluster;

  const remove = async (): Promise<void> => {
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--timeout=180s']);
  };

  const adapterTag = async (): Promise<string | undefined> =>
    (await getObject<Karmada>(cluster, 'karmada', name, namespace)).spec?.components
      ?.karmadaMetricsAdapter?.imageTag;

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada', 'karmada-previous']);
    await remove();
    await installOperator(cluster);
    await apply(
      cluster,
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      karmada,
    );
    await untilReady(cluster, name, namespace, 600_000);
  }, 1_800_000);

  afterAll(remove, 300_000);

  it('ends ready with the metrics adapter in the new release', async () => {
    expect(await adapterTag()).toBe(previous);
    const patch = JSON.stringify({ spec: { components: tags(current) } });
    await kubectl(cluster, [
      'patch',
      'karmada',
      name,
      ...inNamespace,
      '--type',
      'merge',
      '-p',
      patch,
    ]);
    const status = await poll(
      `the control plane is ready with Karmada ${current}`,
      async (seen) => {
        const found = await getObject<Karmada>(cluster, 'karmada', name, namespace);
        const { versions, conditions = [] } = found.status ?? {};
        seen(JSON.stringify({ versions, conditions }));
        const ready = conditions.find(({ type }) => type === 'Ready');
        const isDone = ready?.status === 'True' && versions?.karmada === current;
        return isDone && found.status?.upgrade === undefined ? found.status : undefined;
      },
      { deadlineMs: 600_000 },
    );
    expect(await adapterTag()).toBe(current);
    expect(status?.conditions?.find(({ type }) => type === 'Warning')?.reason).not.toBe(
      'MixedVersions',
    );
  }, 900_000);
});
