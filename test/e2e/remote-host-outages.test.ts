/**
 * @size enormous
 * @sample large
 * @tier all
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { instanceName } from '../../src/api/naming.ts';
import { kubectl } from '../../tools/embedded-cluster/cluster.ts';
import { interrupt } from '../../tools/embedded-cluster/interrupt.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { karmadaReleases } from '../../tools/embedded-cluster/releases.ts';
import { apply } from '../harness/cluster.ts';
import { untilReady } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { RemoteHostScene, REMOTE_NAMESPACE as namespace } from '../harness/remote-host-scene.ts';
import { grantedRights, usedRights } from '../harness/remote-host.ts';
import { drawn } from '../harness/sample.ts';

const name = 'karmada';
const inNamespace = ['-n', namespace];

describeCluster('unavailable remote host cluster', () => {
  let scene: RemoteHostScene;

  beforeAll(async () => {
    scene = await RemoteHostScene.start(['kubernetes-previous', 'karmada-previous']);
    await apply(scene.management, scene.karmada(name, 'host'));
    await untilReady(scene.management, name, namespace);
  }, 1_800_000);

  afterAll(async () => scene.end(), 240_000);

  it('reports an unreachable host cluster and recovers when it is reachable again', async () => {
    const outage = interrupt(scene.host, 'kube-apiserver', 40_000);
    const found = await scene.until(name, 'HostReachable', {
      status: 'False',
      reason: 'HostUnreachable',
    });
    expect(found.message).toContain(scene.server);
    await scene.until(name, 'Ready', { status: 'Unknown' });
    await outage;
    await untilReady(scene.management, name, namespace);
    await scene.until(name, 'HostReachable', { status: 'True' });
  }, 240_000);

  const OPERATIONS = ['an installation', 'an upgrade', 'a deletion'] as const;

  const titleOf = (operation: string): string =>
    `completes ${operation} and delays no other control plane when the host cluster is unavailable for two minutes`;

  it.each(drawn(OPERATIONS, 1, titleOf).map((one) => [titleOf(one), one] as const))(
    '%s',
    async (_, operation) => {
      const [affected, other] = ['affected', 'other'];
      const older = operation === 'an upgrade' ? { version: karmadaReleases.previous } : {};
      await apply(scene.management, scene.karmada(affected, 'host', older));
      if (operation === 'an installation')
        await scene.untilThere(scene.host, `statefulset/${instanceName(affected, 'etcd')}`);
      else await untilReady(scene.management, affected, namespace);
      if (operation === 'an upgrade') {
        await scene.patch(affected, { version: karmadaReleases.current });
        await scene.until(affected, 'Progressing', { status: 'True' });
      }
      if (operation === 'a deletion')
        await kubectl(scene.management, [
          'delete',
          'karmada',
          affected,
          ...inNamespace,
          '--wait=false',
        ]);
      const back = interrupt(scene.host, 'kube-apiserver', 120_000);
      await scene.until(affected, 'HostReachable', { status: 'False' });
      await apply(scene.management, scene.karmada(other, ''));
      await untilReady(scene.management, other, namespace);
      await scene.until(affected, 'HostReachable', { status: 'False' });
      await scene.remove(other);
      await back;
      if (operation !== 'a deletion') {
        const { status } = await untilReady(scene.management, affected, namespace);
        expect(status?.versions?.karmada).toBe(karmadaReleases.current);
        await kubectl(scene.management, [
          'delete',
          'karmada',
          affected,
          ...inNamespace,
          '--wait=false',
        ]);
      }
      const deleted = ['wait', '--for=delete', `karmada/${affected}`, ...inNamespace];
      await kubectl(scene.management, [...deleted, '--timeout=180s']);
      expect([
        await scene.names(scene.host, affected),
        await scene.names(scene.management, affected),
      ]).toEqual([[], []]);
    },
    600_000,
  );

  it('removes the finalizer without the host Secret only after the abandon-host annotation, and lists remaining objects', async () => {
    const left = 'left';
    await apply(scene.management, scene.karmada(left, 'host'));
    await scene.untilThere(scene.host, `statefulset/${instanceName(left, 'etcd')}`);
    await kubectl(scene.management, ['delete', 'secret', 'host', ...inNamespace]);
    await scene.until(left, 'HostReachable', { status: 'False', reason: 'HostSecretMissing' });
    await scene.until(left, 'Ready', { reason: 'HostSecretMissing' });
    await kubectl(scene.management, ['delete', 'karmada', left, ...inNamespace, '--wait=false']);
    const waits = await scene.until(left, 'Ready', { reason: 'Deleting' });
    const [command = ''] = /kubectl .*abandon-host=[0-9a-f-]{36}/.exec(waits.message) ?? [];
    const anything = 'operator.karmada.io/abandon-host=true';
    await kubectl(scene.management, ['annotate', 'karmada', left, ...inNamespace, anything]);
    await poll(
      'the deletion is still blocked, and the message reports the different value',
      async (seen) => {
        const shown = [
          'get',
          'karmada',
          left,
          ...inNamespace,
          '-o',
          'jsonpath={.status.conditions}',
        ];
        const found = await kubectl(scene.management, shown);
        seen(found.slice(0, 600));
        return found.includes('the annotation has a different value now') ? true : undefined;
      },
    );
    await kubectl(scene.management, command.split(' ').slice(1));
    await kubectl(scene.management, ['wait', '--for=delete', `karmada/${left}`, ...inNamespace]);
    expect(await scene.names(scene.management, left)).toEqual([]);
    const events = ['get', 'events', ...inNamespace, '-o', 'jsonpath={.items[*].message}'];
    await poll('the Event exists', async (seen) => {
      const found = await kubectl(scene.management, events);
      seen(found.slice(-300));
      return found.includes(`app.kubernetes.io/instance=${left}`) ? true : undefined;
    });
    expect(await scene.names(scene.host, left)).toContain(
      `statefulset.apps/${instanceName(left, 'etcd')}`,
    );
    await kubectl(scene.host, ['delete', 'namespace', namespace, '--wait=false']);
  }, 240_000);

  it('has the RBAC permissions that these tests used', async () => {
    const [granted, used] = [await grantedRights(), await usedRights([scene.host])];
    expect([...used].filter((right) => !granted.has(right))).toEqual([]);
  });
});
