/**
 * The CAs and the key of ServiceAccount tokens of a control plane with three etcd members and two API servers are replaced one after the
 * other, under clients that call it all the time. One of them has a copy of the kubeconfig from before the rotation, with the former CA alone.
 *
 * @size enormous
 * @job rotation
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Karmada } from '../../src/api/karmada.ts';
import { restartCounts, rotationText } from '../../src/cli/changes/rotate-authorities.ts';
import type { RotationAuthority } from '../../src/features/rotation/authority.ts';
import { tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { down } from '../../tools/embedded-cluster/down.ts';
import { createProgress } from '../../tools/embedded-cluster/progress.ts';
import { sharedCluster } from '../../tools/embedded-cluster/shared-cluster.ts';
import { up } from '../../tools/embedded-cluster/up.ts';
import { createToken, secretText, userOf } from '../harness/adopted-karmada.ts';
import { apply, useCluster } from '../harness/cluster.ts';
import { ON_CLAIMS } from '../harness/control-plane-scene.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { etcdPods } from '../harness/etcd-members.ts';
import { accessTo, untilMember } from '../harness/members.ts';
import { installOperator } from '../harness/operator.ts';
import {
  endOverlap,
  holdersOf,
  keepOneCa,
  requestRotation,
  restartsSince,
  revisionsIn,
  underCalls,
  untilOverlap,
  untilRotated,
  verifyRefused,
} from '../harness/rotation-scene.ts';

const progress = createProgress(process.stderr);
const namespace = 'rotation-test';
const name = 'karmada';
const inNamespace = ['-n', namespace];

const karmada = {
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name, namespace },
  spec: {
    components: {
      etcd: { local: { replicas: 3, volumeData: ON_CLAIMS } },
      karmadaAPIServer: { replicas: 2 },
      karmadaMetricsAdapter: { replicas: 1 },
      karmadaSearch: { replicas: 1 },
      karmadaDescheduler: { replicas: 1 },
      karmadaSchedulerEstimator: {},
    },
  },
} as const satisfies Karmada;

const MINUTE = 60_000;

describeCluster('rotations of a control plane', () => {
  let cluster: Cluster;
  let member: Cluster;
  let plane: ControlPlane;
  const at = () => ({ cluster, name, namespace });

  const clean = async (): Promise<void> => {
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait', '--timeout=180s']);
  };

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await clean();
    member = await up({ name: `${sharedCluster}-pushed`, images: ['busybox'], progress });
    await installOperator(cluster);
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await apply(cluster, karmada);
    await untilReady(cluster, name, namespace);
    plane = await openControlPlane(cluster, name, namespace);
    await plane.karmadactl(['join', 'pushed', ...(await accessTo(member))]);
    await untilMember(plane, 'pushed', 'Push');
    await untilReady(cluster, name, namespace);
  }, 1_800_000);

  afterAll(async () => {
    await clean();
    await down(member.name, progress);
  }, 300_000);

  const memberUids = async (): Promise<readonly string[]> =>
    (await etcdPods(at())).map(({ metadata }) => metadata.uid ?? '').sort();

  /** Rotates with the kubectl plugin. The Pods must restart as its preview says, and each etcd member once or never. */
  async function rotate(authority: RotationAuthority, work: () => Promise<void>): Promise<void> {
    const before = await revisionsIn(at());
    const members = await memberUids();
    const preview = await requestRotation(at(), authority);
    expect(preview).toContain(rotationText(karmada, [authority]));
    await work();
    await untilRotated(at(), authority);
    await untilReady(cluster, name, namespace);
    const restarts = restartsSince(before, await revisionsIn(at()));
    const { etcd: ofMembers = 0, ...expected } = Object.fromEntries(
      restartCounts(karmada, authority),
    );
    expect(restarts).toEqual(expected);
    const kept = (await memberUids()).filter((uid) => members.includes(uid));
    expect(kept).toHaveLength(ofMembers === 0 ? members.length : 0);
  }

  /** Rotates under clients that stay the same. */
  const rotateUnderTraffic = (
    authority: RotationAuthority,
    work: () => Promise<void>,
  ): Promise<void> => underCalls({ cluster, plane }, () => rotate(authority, work));

  /** Whether nothing has the private key any more that was in a Secret. */
  async function verifyGone(key: string): Promise<void> {
    expect(key).toContain('PRIVATE KEY');
    expect(await holdersOf({ cluster, namespace, plane }, key)).toEqual([]);
    await untilMember(plane, 'pushed', 'Push');
  }

  it(
    'replaces the CA of front proxies without failed calls and restarts',
    async () => {
      const key = await secretText(at(), 'cert', 'front-proxy-ca.key');
      await rotateUnderTraffic('front-proxy-ca', () => Promise.resolve());
      await verifyGone(key);
    },
    40 * MINUTE,
  );

  it(
    'replaces the CA of etcd without failed calls',
    async () => {
      const key = await secretText(at(), 'cert', 'etcd-ca.key');
      await rotateUnderTraffic('etcd-ca', () => Promise.resolve());
      await verifyGone(key);
    },
    40 * MINUTE,
  );

  it(
    'replaces the CA without failed calls, and refuses the former one afterwards',
    async () => {
      const key = await secretText(at(), 'cert', 'ca.key');
      const former = await openControlPlane(cluster, name, namespace);
      await keepOneCa(former);
      await rotate('ca', async () => {
        await underCalls({ cluster, plane: former }, async () => {
          await untilOverlap(at());
        });
        plane = await openControlPlane(cluster, name, namespace);
        await underCalls({ cluster, plane }, async () => {
          await endOverlap(at());
          await untilRotated(at(), 'ca');
        });
      });
      await verifyRefused(former);
      await verifyGone(key);
    },
    60 * MINUTE,
  );

  // Its first phase includes the hour for which verifiers may cache the published keys.
  it(
    'replaces the key of tokens without failed calls, and refuses former tokens afterwards',
    async () => {
      const key = await secretText(at(), 'service-account-key', 'service-account.key');
      const token = await createToken(plane, 'former');
      await rotateUnderTraffic('service-account-key', async () => {
        await untilOverlap(at());
        expect(await userOf(plane, token)).toBe('system:serviceaccount:default:former');
        await endOverlap(at());
      });
      expect(await userOf(plane, token)).toBe('');
      await verifyGone(key);
    },
    110 * MINUTE,
  );
});
