/**
 * A control plane that the Go operator created in a remote host cluster, with a member in pull mode, is adopted, and then its
 * etcd.
 *
 * @size large
 * @job adoption
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Components } from '../../src/api/karmada.ts';
import type { KubernetesClient } from '../../src/kubernetes/client/client-interface.ts';
import { kubectl, tryKubectl } from '../../tools/embedded-cluster/cluster.ts';
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
  replaceGoCrd,
  startGoOperator,
  stopGoOperator,
  versionsIn,
} from '../harness/adoption-scene.ts';
import { consentToEtcd, untilNativeEtcd } from '../harness/adopted-etcd.ts';
import { clientOf } from '../harness/client.ts';
import { bootstrapConfiguration } from '../harness/go-operator.ts';
import { apply } from '../harness/cluster.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { ON_CLAIMS } from '../harness/control-plane-scene.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { nodePortOf, register, untilMember } from '../harness/members.ts';
import { installOperator } from '../harness/operator.ts';
import { planOfPatch, podsIn, restartsBetween, restartsIn, type Pods } from '../harness/plan.ts';
import { RemoteHostScene, REMOTE_NAMESPACE as namespace } from '../harness/remote-host-scene.ts';
import { underTraffic } from '../harness/traffic/traffic.ts';

const name = 'demo';
/** The Go operator needs more permissions in the host cluster than this operator. */
const GO_RIGHTS = 'go-operator-remote';

function components(): Components {
  const common = componentsOf('current', { volumeData: ON_CLAIMS });
  return { ...common, karmadaAPIServer: { ...common.karmadaAPIServer, serviceType: 'NodePort' } };
}

describeCluster('adoption in a remote host cluster', () => {
  let scene: RemoteHostScene;
  let client: KubernetesClient;
  let plane: ControlPlane;
  let token: string;
  /** Pods and CA keys before the adoption. */
  let pods: Pods;
  let cert: Record<string, string>;

  const onHost = (): Parameters<typeof secretData>[0] => ({ cluster: scene.host, name, namespace });
  const karmada = (): Parameters<typeof conditionOf>[0] => ({
    cluster: scene.management,
    name,
    namespace,
  });

  async function grantGoOperator(): Promise<void> {
    await apply(scene.host, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: GO_RIGHTS },
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'ClusterRole',
        name: 'cluster-admin',
      },
      subjects: [
        { kind: 'ServiceAccount', name: 'karmada-operator-remote', namespace: 'karmada-system' },
      ],
    });
  }

  const revokeGoOperator = (): Promise<unknown> =>
    tryKubectl(scene.host, ['delete', 'clusterrolebinding', GO_RIGHTS, '--ignore-not-found']);

  beforeAll(async () => {
    scene = await RemoteHostScene.start();
    client = clientOf(scene.management);
    await grantGoOperator();
    const labels = { 'operator.karmada.io/karmadas-of': 'Any' };
    const metadata = { name: namespace, labels };
    await apply(scene.host, { apiVersion: 'v1', kind: 'Namespace', metadata });
    await startGoOperator(scene.management, client, 'current');
    const hostCluster = { secretRef: { name: 'host', namespace } };
    await installByGoOperator(
      client,
      { namespace, name },
      { hostCluster, components: components() },
    );
    plane = await openControlPlane(scene.host, name, namespace);
    token = await createToken(plane, 'before');
    await plane.kubectl(['create', 'configmap', 'before', '--from-literal=key=before']);
    cert = await secretData(onHost(), 'cert');
    const bootstrap = await bootstrapConfiguration(
      cert['ca.crt'] ?? '',
      `https://${await nodePortOf(scene.host, name, namespace)}`,
    );
    await plane.kubectl(['apply', '-f', '-'], bootstrap);
    await register({ plane, host: scene.host, name, namespace }, scene.host, 'pulled');
    await untilMember(plane, 'pulled', 'Pull');
    pods = await podsIn(scene.host, namespace);
  }, 1_800_000);

  afterAll(async () => {
    await endAdoption(scene.management, namespace);
    await client.close();
    await scene.end();
  }, 900_000);

  it('changes nothing in the host cluster until the Go operator has stopped and a user confirms', async () => {
    const untouched = await versionsIn(scene.host, namespace);
    await replaceGoCrd(client);
    await installOperator(scene.management);
    await untilAdopted(karmada(), 'GoOperatorRunning');
    await stopGoOperator(client);
    await revokeGoOperator();
    await untilAdopted(karmada(), 'AdoptionPending');
    expect(await versionsIn(scene.host, namespace)).toEqual(untouched);
  }, 600_000);

  it('keeps data, keys, clients and the member, and restarts the planned Pods once', async () => {
    const plan = await planOfPatch(scene.management, { name, namespace }, {});
    const pending = await untilAdopted(karmada(), 'AdoptionPending');
    const report = await underTraffic(scene.host, plane, async () => {
      await kubectl(scene.management, confirmationIn(pending));
      await untilReady(scene.management, name, namespace, 300_000);
    });
    const after = await podsIn(scene.host, namespace);
    expect(restartsBetween(pods, after)).toEqual(restartsIn(plan));
    for (const [pod, uid] of pods) if (pod.includes('-etcd-')) expect(after.get(pod)).toBe(uid);
    expect(await conditionOf(karmada(), 'Adopted')).toBeUndefined();
    expect(report.failed).toEqual([]);
    expect([report.lost, report.unseen]).toEqual([[], []]);
    expect(await plane.kubectl(['get', 'configmap', 'before', '-o', 'name'])).toContain('before');
    expect(await userOf(plane, token)).toBe('system:serviceaccount:default:before');
    const now = await secretData(onHost(), 'cert');
    expect(now['ca.key']).toBe(cert['ca.key']);
    expect(now['etcd-ca.key']).toBe(cert['etcd-ca.key']);
    await untilMember(plane, 'pulled', 'Pull');
  }, 900_000);

  it('propagates to the member in pull mode as before', async () => {
    const metadata = { name: 'after', namespace: 'default' };
    const selected = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'after' }];
    const placement = { clusterAffinity: { clusterNames: ['pulled'] } };
    const items = [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { after: 'adoption' } },
      {
        apiVersion: 'policy.karmada.io/v1alpha1',
        kind: 'PropagationPolicy',
        metadata,
        spec: { resourceSelectors: selected, placement },
      },
    ];
    const list = { apiVersion: 'v1', kind: 'List', items };
    await plane.kubectl(['apply', '-f', '-'], JSON.stringify(list));
    const waiting = ['wait', 'configmap/after', '-n', 'default', '--for=create', '--timeout=120s'];
    await kubectl(scene.host, waiting);
  }, 300_000);

  it('moves its etcd to https by consent', async () => {
    expect(await conditionOf(karmada(), 'EtcdAdopted')).toMatchObject({
      reason: 'EtcdAdoptionPending',
    });
    await consentToEtcd(karmada());
    await untilNativeEtcd(karmada(), 1, onHost());
    // The API server restarts if etcd does not respond for long.
    await untilReady(scene.management, name, namespace, 300_000);
    expect(await plane.kubectl(['get', 'configmap', 'before', '-o', 'name'])).toContain('before');
    await untilMember(plane, 'pulled', 'Pull');
  }, 1_200_000);
});
