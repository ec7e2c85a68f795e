/**
 * A control plane goes from the Go operator to this operator, back to the Go operator, and is adopted again. Both
 * operators are revisions of one Helm release.
 *
 * @size large
 * @job adoption
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ADOPT_ETCD_ANNOTATION } from '../../src/api/validation/adopt-etcd.ts';
import { instanceName } from '../../src/api/naming.ts';
import { APPLIED_HASH } from '../../src/kubernetes/objects/compare.ts';
import type { KubernetesClient } from '../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { resources } from '../../src/kubernetes/objects/resources.ts';
import { ADOPTION_ANNOTATION } from '../../src/features/adoption/decide-adoption.ts';
import { kubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { karmadaReleases } from '../../tools/embedded-cluster/releases.ts';
import {
  conditionOf,
  confirmationIn,
  createToken,
  secretData,
  untilAdopted,
  userOf,
} from '../harness/adopted-karmada.ts';
import {
  componentsOf,
  endAdoption,
  installByGoOperator,
  removeNamespace,
  versionsIn,
} from '../harness/adoption-scene.ts';
import { clientOf } from '../harness/client.ts';
import { useCluster } from '../harness/cluster.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { ON_CLAIMS } from '../harness/control-plane-scene.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { installGoRelease, rollBackToGoOperator } from '../harness/go-operator-chart.ts';
import { stopOperator } from '../harness/operator-pod.ts';
import { installOperator } from '../harness/operator.ts';
import { podsIn } from '../harness/plan.ts';

const namespace = 'adoption-return';
const name = 'demo';
const where = ['-n', namespace];
const CONTROLLERS = instanceName(name, 'kube-controller-manager');

describeCluster('return to the Go operator', () => {
  let cluster: Cluster;
  let client: KubernetesClient;
  let plane: ControlPlane;
  /** Token of a ServiceAccount that was created before the adoption. */
  let token: string;
  let etcd: string | undefined;
  let backup: Record<string, string>;

  const at = (): Parameters<typeof conditionOf>[0] => ({ cluster, name, namespace });

  const etcdPod = async (): Promise<string | undefined> =>
    (await podsIn(cluster, namespace)).get(`${instanceName(name, 'etcd')}-0`);

  /** Versions of the objects whose status does not change while Pods start and stop. */
  async function versions(): Promise<object> {
    const all = Object.entries(await versionsIn(cluster, namespace));
    return Object.fromEntries(all.filter(([key]) => /^(Secret|Service)\//.test(key)));
  }

  /** Upgrades the Helm release of the Go operator, which runs meanwhile, and confirms the adoption. */
  async function adopt(): Promise<void> {
    const untouched = await versions();
    await installOperator(cluster);
    const pending = await untilAdopted(at(), 'AdoptionPending');
    expect(await versions()).toEqual(untouched);
    await kubectl(cluster, confirmationIn(pending));
    await untilAdopted(at(), undefined);
    await untilReady(cluster, name, namespace, 300_000);
  }

  async function expectUnchanged(): Promise<void> {
    expect(await plane.kubectl(['get', 'configmap', 'before', '-o', 'name'])).toContain('before');
    expect(await userOf(plane, token)).toBe('system:serviceaccount:default:before');
    expect(await etcdPod()).toBe(etcd);
  }

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada', 'busybox']);
    client = clientOf(cluster);
    await removeNamespace(cluster, namespace);
    await installGoRelease({ cluster, client }, karmadaReleases.current);
    const components = componentsOf('current', { volumeData: ON_CLAIMS });
    await installByGoOperator(client, { namespace, name }, { components });
    plane = await openControlPlane(cluster, name, namespace);
    token = await createToken(plane, 'before');
    await plane.kubectl(['create', 'configmap', 'before', '--from-literal=key=before']);
    etcd = await etcdPod();
    backup = await secretData(at(), 'cert');
    await adopt();
  }, 1_800_000);

  afterAll(async () => {
    await endAdoption(cluster, namespace);
    await client.close();
  }, 600_000);

  it('keeps data, tokens and kubeconfigs', async () => {
    await expectUnchanged();
    const consents = [ADOPTION_ANNOTATION, ADOPT_ETCD_ANNOTATION].map((key) => `${key}-`);
    await kubectl(cluster, ['annotate', 'karmada', name, ...where, ...consents]);
    await stopOperator(cluster);
    const patch = JSON.stringify({ data: backup });
    const secret = instanceName(name, 'cert');
    await kubectl(cluster, ['patch', 'secret', secret, ...where, '--type=merge', '-p', patch]);
    await rollBackToGoOperator({ cluster, client });
    await untilReturned((deployment) => deployment !== CONTROLLERS);
    await deleteOldControllers();
    await untilReturned();
    await expectUnchanged();
    await plane.kubectl(['create', 'configmap', 'returned', '--from-literal=key=returned']);
  }, 900_000);

  it('is adopted again', async () => {
    await adopt();
    await expectUnchanged();
    expect(await plane.kubectl(['get', 'configmap', 'returned', '-o', 'name'])).toContain(
      'returned',
    );
  }, 900_000);

  /** With a required anti-affinity, the Pod of the old ReplicaSet excludes the new one from the only node. */
  async function deleteOldControllers(): Promise<void> {
    const text = await kubectl(cluster, ['get', 'replicasets', ...where, '-o', 'json']);
    const { items } = JSON.parse(text) as { items: KubernetesObject[] };
    const revision = ({ metadata }: KubernetesObject): number =>
      Number(metadata.annotations?.['deployment.kubernetes.io/revision']);
    const [newest, ...old] = items
      .filter(({ metadata }) => metadata.name.startsWith(`${CONTROLLERS}-`))
      .toSorted((one, other) => revision(other) - revision(one));
    expect(newest).toBeDefined();
    expect(old).not.toHaveLength(0);
    const names = old.map(({ metadata }) => metadata.name);
    await kubectl(cluster, ['delete', 'replicaset', ...names, ...where]);
  }

  /** Waits until the Go operator has replaced the Deployments, and their Pods are available. */
  async function untilReturned(isAwaited = (_: string): boolean => true): Promise<void> {
    await poll(
      'the Go operator reports the control plane as ready',
      async (seen) => {
        const ready = await conditionOf(at(), 'Ready');
        const { items } = await client.list(resources.Deployment, { namespace });
        const open = items
          .filter((item) => isAwaited(item.metadata.name) && !isReturned(item))
          .map(({ metadata }) => metadata.name);
        seen(JSON.stringify({ ready, open }));
        return (open.length === 0 && ready?.reason === 'Completed') || undefined;
      },
      { deadlineMs: 420_000, intervalMs: 1_000 },
    );
  }
});

/** Whether the Go operator has replaced a Deployment, with all its annotations, and all Pods are available. */
function isReturned(deployment: KubernetesObject): boolean {
  const { spec, status = {} } = deployment as unknown as {
    spec: { replicas?: number };
    status?: Readonly<Record<string, number>>;
  };
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
  const counts = [replicas, updatedReplicas, availableReplicas];
  const isOwn = deployment.metadata.annotations?.[APPLIED_HASH] !== undefined;
  return !isOwn && counts.every((count) => count === (spec.replicas ?? 1));
}
