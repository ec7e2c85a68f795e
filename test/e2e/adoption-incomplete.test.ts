/**
 * Control planes whose installation by the Go operator stopped or failed are adopted and completed.
 *
 * @size large
 * @job adoption
 */
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { instanceName } from '../../src/api/naming.ts';
import type { KubernetesClient } from '../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { resources } from '../../src/kubernetes/objects/resources.ts';
import { kubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import {
  conditionOf,
  confirmationIn,
  secretData,
  untilAdopted,
} from '../harness/adopted-karmada.ts';
import {
  componentsOf,
  endAdoption,
  createKarmada,
  removeNamespace,
  replaceGoCrd,
  startGoOperator,
  stopGoOperator,
} from '../harness/adoption-scene.ts';
import { clientOf } from '../harness/client.ts';
import { useCluster } from '../harness/cluster.ts';
import { openControlPlane, untilReady } from '../harness/control-plane.ts';
import { ON_CLAIMS } from '../harness/control-plane-scene.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { installOperator } from '../harness/operator.ts';
import { podsIn } from '../harness/plan.ts';

const namespace = 'adoption-incomplete';
const name = 'demo';
const where = ['-n', namespace];

describeCluster('adoption of an incomplete control plane', () => {
  let cluster: Cluster;
  let client: KubernetesClient;

  const at = (): Parameters<typeof conditionOf>[0] => ({ cluster, name, namespace });

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada', 'busybox']);
    client = clientOf(cluster);
  }, 1_800_000);

  beforeEach(async () => {
    await installOperator(cluster);
    await removeNamespace(cluster, namespace);
    await startGoOperator(cluster, client, 'current');
  }, 600_000);

  afterAll(async () => {
    await endAdoption(cluster, namespace);
    await client.close();
  }, 600_000);

  const untilThere = (
    type: typeof resources.Deployment,
    suffix: string,
  ): Promise<KubernetesObject> =>
    poll(
      `the Go operator has created ${suffix}`,
      () => client.find(type, { namespace, name: instanceName(name, suffix) }),
      { deadlineMs: 180_000, intervalMs: 100 },
    );

  /** Adopts what the Go operator left. */
  async function adopt(): Promise<void> {
    await stopGoOperator(client);
    await replaceGoCrd(client);
    await installOperator(cluster);
    const pending = await untilAdopted(at(), 'AdoptionPending');
    await kubectl(cluster, confirmationIn(pending));
  }

  async function expectComplete(): Promise<void> {
    await untilReady(cluster, name, namespace, 300_000);
    expect(await conditionOf(at(), 'Adopted')).toBeUndefined();
    const plane = await openControlPlane(cluster, name, namespace);
    expect(await plane.kubectl(['get', 'namespace', 'karmada-system', '-o', 'name'])).toBeTruthy();
  }

  it.each([
    ['StatefulSet of etcd', resources.StatefulSet, 'etcd'],
    ['Deployment of the API server', resources.Deployment, 'apiserver'],
  ] as const)(
    'completes an installation that stopped after the %s',
    async (_, type, suffix) => {
      const components = componentsOf('current', { volumeData: ON_CLAIMS });
      await createKarmada(client, { namespace, name }, { components });
      await untilThere(type, suffix);
      await adopt();
      await expectComplete();
      const etcd = (await podsIn(cluster, namespace)).get(`${instanceName(name, 'etcd')}-0`);
      expect(etcd).toBeDefined();
    },
    900_000,
  );

  it('completes an installation that failed because of an image, once the image is corrected', async () => {
    const components = componentsOf('current', { volumeData: ON_CLAIMS });
    const apiServer = { karmadaAPIServer: { imageTag: 'v0.0.0' } };
    const wrong = { components: { ...components, ...apiServer } };
    await createKarmada(client, { namespace, name }, wrong);
    await untilThere(resources.Deployment, 'apiserver');
    const { 'ca.key': ca } = await secretData(at(), 'cert');
    await adopt();
    const patch = JSON.stringify({
      spec: { components: { karmadaAPIServer: components.karmadaAPIServer } },
    });
    await kubectl(cluster, ['patch', 'karmada', name, ...where, '--type=merge', '-p', patch]);
    await expectComplete();
    expect((await secretData(at(), 'cert'))['ca.key']).toBe(ca);
  }, 900_000);
});
