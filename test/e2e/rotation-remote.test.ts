/**
 * CAs of a control plane in a remote host cluster are replaced under clients that call it all the time. The operator proves each step
 * through the API server of the host cluster. The agent of a member cluster in pull mode keeps its copy of the CA.
 *
 * @size enormous
 * @job rotation
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { restartCounts } from '../../src/cli/changes/rotate-authorities.ts';
import type { RotationAuthority } from '../../src/features/rotation/authority.ts';
import type { Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { secretText } from '../harness/adopted-karmada.ts';
import { apply } from '../harness/cluster.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { register, untilMember } from '../harness/members.ts';
import { renewAgent, restartAgent } from '../harness/pull-agent.ts';
import {
  RemoteHostScene,
  REMOTE_NAMESPACE as namespace,
  SMALL,
} from '../harness/remote-host-scene.ts';
import {
  endOverlap,
  holdersOf,
  requestRotation,
  restartsSince,
  revisionsIn,
  underCalls,
  untilOverlap,
  untilRotated,
  verifyRefused,
} from '../harness/rotation-scene.ts';

const name = 'karmada';
const PULLED = 'pulled';
const MINUTE = 60_000;

describeCluster('rotations in a remote host cluster', () => {
  let scene: RemoteHostScene;
  let pulled: Cluster;
  let plane: ControlPlane;

  /** The Karmada, and the Pods of its control plane. */
  const given = () => ({ cluster: scene.management, name, namespace });
  const hosted = () => ({ cluster: scene.host, name, namespace });

  beforeAll(async () => {
    scene = await RemoteHostScene.start(['etcd', 'kubernetes', 'karmada']);
    pulled = await scene.startFurther(PULLED, ['karmada'], 'cluster.local');
    const components = { ...SMALL, karmadaAPIServer: { serviceType: 'NodePort' } };
    await apply(scene.management, scene.karmada(name, 'host', { components }));
    await untilReady(scene.management, name, namespace);
    plane = await openControlPlane(scene.host, name, namespace);
    await register({ plane, host: scene.host, name, namespace }, pulled, PULLED);
    await untilMember(plane, PULLED, 'Pull');
  }, 1_800_000);

  afterAll(async () => {
    await scene.end();
  }, 300_000);

  const calls = () => ({ cluster: scene.host, plane });

  const untilDone = (authority: RotationAuthority): Promise<void> =>
    untilRotated(given(), authority, scene.host);

  /** Rotates. The Pods must restart as the preview of the kubectl plugin says, and nothing may keep the former private key. */
  async function rotate(authority: RotationAuthority, work: () => Promise<void>): Promise<void> {
    const key = await secretText(hosted(), 'cert', `${authority}.key`);
    expect(key).toContain('PRIVATE KEY');
    const before = await revisionsIn(hosted());
    await requestRotation(given(), authority);
    await work();
    await untilReady(scene.management, name, namespace);
    const expected = Object.fromEntries(restartCounts(await scene.current(name), authority));
    expect(restartsSince(before, await revisionsIn(hosted()))).toEqual(expected);
    plane = await openControlPlane(scene.host, name, namespace);
    expect(await holdersOf({ cluster: scene.host, namespace, plane }, key)).toEqual([]);
    await untilMember(plane, PULLED, 'Pull');
  }

  it(
    'replace the CA of front proxies',
    () => rotate('front-proxy-ca', () => underCalls(calls(), () => untilDone('front-proxy-ca'))),
    40 * MINUTE,
  );

  it(
    'replace the CA while an agent has a copy of the former one, and renews its certificate before the overlap ends',
    async () => {
      const former = plane;
      await rotate('ca', async () => {
        await underCalls(calls(), async () => {
          await untilOverlap(given());
          // A new process verifies the API server with the copy in its Secret.
          await restartAgent(pulled);
          await untilMember(plane, PULLED, 'Pull');
          await renewAgent(pulled);
        });
        plane = await openControlPlane(scene.host, name, namespace);
        await underCalls(calls(), async () => {
          await endOverlap(given());
          await untilDone('ca');
        });
      });
      await verifyRefused(former);
      await restartAgent(pulled);
      await untilMember(plane, PULLED, 'Pull');
    },
    60 * MINUTE,
  );
});
