/**
 * @size large
 * @tier all
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { loadAll } from 'js-yaml';
import { instanceName } from '../../src/api/naming.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { apply } from '../harness/cluster.ts';
import { openControlPlane, untilReady } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { accessTo, dividedDeployment, untilMember } from '../harness/members.ts';
import { patchAsPlanned } from '../harness/plan.ts';
import {
  RemoteHostScene,
  REMOTE_NAMESPACE as namespace,
  SMALL,
} from '../harness/remote-host-scene.ts';
import { grantedRights, grantHostAccess, usedRights } from '../harness/remote-host.ts';

const name = 'karmada';
const inNamespace = ['-n', namespace];
/** DNS domain of the third cluster, which is a member cluster and later also a host cluster. */
const DOMAIN = 'third.example.org';

describeCluster('two remote host clusters', () => {
  let scene: RemoteHostScene;
  let third: Cluster;

  beforeAll(async () => {
    scene = await RemoteHostScene.start();
    third = await scene.startFurther('third', ['busybox'], DOMAIN);
    await scene.pointTo('third', third, await grantHostAccess(third));
    const components = { ...SMALL, karmadaSearch: {} };
    await apply(scene.management, scene.karmada(name, 'host', { components }));
    await untilReady(scene.management, name, namespace);
  }, 1_800_000);

  afterAll(async () => scene.end(), 240_000);

  it('runs the sample with a token, a NodePort and a member cluster, and leaves nothing when it is deleted', async () => {
    const text = await readFile(join(checkout, 'samples/karmada-remote-host.yaml'), 'utf8');
    const [first, second] = loadAll(
      text.replace('https://host.example.com:6443', scene.server),
    ) as [{ metadata: { name: string } }, { metadata: { name: string } }];
    const own = first.metadata.name;
    const { name: called } = second.metadata;
    await tryKubectl(scene.host, ['delete', 'namespace', own, '--timeout=120s']);
    await apply(scene.management, first, scene.secret('host-cluster', scene.credentials, own));
    await apply(scene.management, second);
    await untilReady(scene.management, called, own);
    const plane = await openControlPlane(scene.host, called, own);
    await plane.karmadactl(['join', 'third', ...(await accessTo(third))]);
    await untilMember(plane, 'third', 'Push');
    const list = { apiVersion: 'v1', kind: 'List', items: dividedDeployment(2) };
    await plane.kubectl(['apply', '-f', '-'], JSON.stringify(list));
    const shown = 'jsonpath={.status.readyReplicas}';
    const divided = ['get', 'deployment', 'divided', '-n', 'default', '-o', shown];
    await poll('two replicas run in the member cluster', async (seen) => {
      const result = await tryKubectl(third, divided);
      seen(result.stdout + result.stderr);
      return result.stdout === '2' ? true : undefined;
    });
    await plane.karmadactl(['unjoin', 'third', ...(await accessTo(third))]);
    await kubectl(scene.management, ['delete', 'karmada', called, '-n', own, '--timeout=120s']);
    // The PVC of etcd stays, and with it the CA backup Secret.
    for (const [cluster, left] of [
      [scene.host, 'secret/karmada-demo-ca-backup'],
      [scene.management, 'secret/host-cluster'],
    ] as const) {
      expect(await scene.namesIn(cluster, own)).toBe(left);
    }
    await kubectl(scene.management, ['delete', 'namespace', own, '--wait=false']);
  }, 420_000);

  it('deletes all objects of an add-on when it is disabled', async () => {
    const search = `${name}-search`;
    expect(await scene.names(scene.host, name)).toContain(`deployment.apps/${search}`);
    await patchAsPlanned(
      scene.management,
      { name, namespace, host: scene.host },
      { components: { karmadaSearch: { enabled: false } } },
    );
    await poll(
      'all objects of the add-on are deleted',
      async (seen) => {
        const left = (await scene.names(scene.host, name)).filter((line) => line.includes(search));
        seen(left.join());
        return left.length === 0 ? true : undefined;
      },
      { deadlineMs: 180_000 },
    );
  }, 360_000);

  it('changes nothing in another cluster when the Secret points to it', async () => {
    await scene.pointTo('host', third, await grantHostAccess(third));
    const found = await scene.until(name, 'HostReachable', {
      status: 'False',
      reason: 'HostChanged',
    });
    expect(found.message).toContain('than the one that runs this control plane');
    expect(await scene.names(third, name)).toEqual([]);
    await scene.pointTo('host', scene.host, scene.credentials);
    await scene.until(name, 'HostReachable', { status: 'True' });
    await untilReady(scene.management, name, namespace);
  }, 180_000);

  it('uses the DNS domain of the host cluster in all names', async () => {
    const networking = { dnsDomain: DOMAIN };
    const hostCluster = { secretRef: { name: 'third', namespace }, networking };
    const local = { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } };
    const components = { ...SMALL, etcd: { local } };
    await apply(scene.management, scene.karmada('elsewhere', 'third', { hostCluster, components }));
    await untilReady(scene.management, 'elsewhere', namespace);
    const plane = await openControlPlane(third, 'elsewhere', namespace);
    const aggregated = instanceName('elsewhere', 'aggregated-apiserver');
    const service = ['get', 'service', aggregated, '-n', 'karmada-system', '-o'];
    expect(await plane.kubectl([...service, 'jsonpath={.spec.externalName}'])).toContain(
      `.svc.${DOMAIN}`,
    );
    expect(await plane.kubectl(['get', 'clusters'])).toBe('');
    await scene.remove('elsewhere');
    expect(await scene.names(third, 'elsewhere')).toEqual([]);
    const claims = ['get', 'persistentvolumeclaims', ...inNamespace, '-o', 'name'];
    expect(await kubectl(third, claims)).toBe('');
  }, 300_000);

  it('has the RBAC permissions that these tests used', async () => {
    const [granted, used] = [await grantedRights(), await usedRights([scene.host, third])];
    expect([...used].filter((right) => !granted.has(right))).toEqual([]);
  });
});
