/**
 * Recovery of an etcd that lost the data of two of its three members: from the third one, if a user confirms it.
 *
 * @size large
 * @tier all
 */
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Karmada } from '../../src/api/karmada.ts';
import type { KubernetesClient } from '../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { namespacedType } from '../../src/kubernetes/objects/resources.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { controlPlaneClientOf } from '../harness/client.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { untilReady } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { etcdAnswers, etcdPods, survivingKeys } from '../harness/etcd-members.ts';
import { VOLUME_CLAIM } from '../harness/etcd-scene.ts';
import { installOperator } from '../harness/operator.ts';
import { follow } from '../harness/runbook.ts';

const namespace = 'etcd-recovery';
const name = 'karmada';
const set = `${name}-etcd`;
const where = ['-n', namespace];
const KEYS = '/registry/configmaps/default/';
const CONFIRM = 'operator.karmada.io/etcd-recover-from';
const configMaps = namespacedType('v1', 'ConfigMap', 'configmaps');
/** Goal for the whole recovery, in milliseconds. */
const GOAL_MS = 180_000;

const karmada = {
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name, namespace },
  spec: {
    components: {
      etcd: {
        local: {
          replicas: 3,
          volumeData: VOLUME_CLAIM,
        },
      },
      // The test connects from outside the host cluster with the unchanged kubeconfig.
      karmadaAPIServer: { serviceType: 'NodePort' },
      karmadaMetricsAdapter: { enabled: false },
    },
  },
};

describeCluster('recovery of an etcd without a quorum', () => {
  let cluster: Cluster;
  let inside: KubernetesClient | undefined;

  const at = { name, namespace };
  const status = async (): Promise<NonNullable<Karmada['status']>> =>
    (await getObject<Karmada>(cluster, 'karmada', name, namespace)).status ?? {};
  const condition = async (type: string): Promise<{ reason?: string; message?: string }> =>
    (await status()).conditions?.find((item) => item.type === type) ?? {};
  const pods = (): Promise<readonly KubernetesObject[]> => etcdPods({ cluster, ...at });

  /** Names and UIDs of the PVCs of the namespace. */
  async function claims(): Promise<ReadonlyMap<string, string>> {
    const { items } = JSON.parse(
      await kubectl(cluster, ['get', 'pvc', ...where, '-o', 'json']),
    ) as { items: readonly KubernetesObject[] };
    return new Map(items.map(({ metadata }) => [metadata.name, metadata.uid ?? '']));
  }

  const confirm = (value: string): Promise<string> =>
    kubectl(cluster, ['annotate', '--overwrite', 'karmada', name, ...where, `${CONFIRM}=${value}`]);

  /** Runs the commands of a section of the page for operators. */
  const recover = (title: string, more: Readonly<Record<string, string>> = {}): Promise<string> =>
    follow(
      { cluster, directory: tmpdir(), variables: { NAMESPACE: namespace, NAME: name, ...more } },
      title,
    );

  /** Writes until the API server rejects a write. @returns names of acknowledged ConfigMaps */
  async function writeUntilFailure(client: KubernetesClient): Promise<readonly string[]> {
    const acknowledged: string[] = [];
    try {
      for (let n = 0; ; n += 1) {
        const key = { name: `key-${String(n)}`, namespace: 'default' };
        await client.create(
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: key },
          { timeoutMs: 15_000 },
        );
        acknowledged.push(key.name);
      }
    } catch {
      return acknowledged;
    }
  }

  async function loseMembers(ordinals: readonly number[], volume = 'etcd-data'): Promise<void> {
    const names = ordinals.map((ordinal) => `${set}-${String(ordinal)}`);
    const volumes = names.map((pod) => `${volume}-${pod}`);
    await kubectl(cluster, ['delete', 'pvc', ...volumes, ...where, '--wait=false']);
    await kubectl(cluster, ['delete', 'pod', ...names, ...where, '--force', '--grace-period=0']);
  }

  /** Waits for a condition with a reason and a text. @returns its message */
  function until(type: string, reason: string, text: string): Promise<string> {
    return poll(
      `${type} has the reason ${reason} and the text ${text}`,
      async (seen) => {
        const found = await condition(type);
        seen(JSON.stringify(found));
        const { message = '' } = found;
        return found.reason === reason && message.includes(text) ? message : undefined;
      },
      { deadlineMs: 120_000, intervalMs: 1_000 },
    );
  }

  /** Waits until all members belong to a cluster with another ID. */
  async function untilRecovered(formerID: string | undefined): Promise<void> {
    await poll(
      'three members of a new cluster',
      async (seen) => {
        const found = await etcdAnswers({ cluster, ...at }, KEYS);
        seen(JSON.stringify([found, await condition('Progressing')]));
        return found.filter(({ clusterID }) => clusterID !== formerID).length === 3 || undefined;
      },
      { deadlineMs: 300_000, intervalMs: 1_000 },
    );
  }

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await installOperator(cluster);
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await apply(cluster, karmada);
    await untilReady(cluster, name, namespace);
    inside = await controlPlaneClientOf(cluster, name, namespace);
  }, 1_800_000);

  afterAll(async () => {
    await inside?.close();
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...where, '--timeout=120s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
  }, 240_000);

  it('keeps every key of the survivor, in a new cluster with three members', async () => {
    if (inside === undefined) throw new Error('no client of the control plane');
    const writer = writeUntilFailure(inside);
    await poll('50 keys', async () => {
      const found = await etcdAnswers({ cluster, ...at }, KEYS);
      return found.some(({ count }) => count > 50) || undefined;
    });
    const [former] = await etcdAnswers({ cluster, ...at }, KEYS);
    await loseMembers([1, 2]);
    await writer;

    // The status names the survivor and its data; nothing is started anew.
    const message = await until('EtcdHealthy', 'QuorumLost', CONFIRM);
    const [, value = ''] = new RegExp(`${CONFIRM}=(\\S+)`).exec(message) ?? [];
    const [pod, clusterID, revision = '0'] = value.split('/');
    expect([pod, clusterID]).toEqual([`${set}-0`, former?.clusterID]);
    const kept = await claims();
    const survivor = await survivingKeys({ cluster, ...at }, `${set}-0`, KEYS);
    expect(survivor.length).toBeGreaterThan(50);

    // A value that does not match changes nothing.
    await confirm(`${String(pod)}/${String(clusterID)}/${String(Number(revision) - 1)}`);
    await until('Degraded', 'EtcdRecoveryRefused', `has revision ${revision}`);
    expect(await claims()).toEqual(kept);

    const began = Date.now();
    await recover('Rebuild etcd from one member', { MEMBER: value });
    await untilRecovered(former?.clusterID);
    await untilReady(cluster, name, namespace);
    const tookMs = Date.now() - began;
    process.stderr.write(`recovery took ${String(tookMs)} ms\n`);

    const ids = new Set((await etcdAnswers({ cluster, ...at }, KEYS)).map((one) => one.clusterID));
    expect(ids.size).toBe(1);
    expect(await pods()).toHaveLength(3);
    await expectKeys(survivor);
    const { items } = await inside.list(configMaps, { namespace: 'default' });
    const newest = BigInt(items[0]?.metadata.resourceVersion ?? 0);
    expect(newest < BigInt(revision) + 1_000_000_000n).toBe(true);

    // The former volumes are untouched and named; the same value does nothing again.
    const after = await claims();
    for (const [volume, uid] of kept) expect(after.get(volume)).toBe(uid);
    expect((await condition('Warning')).message).toContain(`etcd-data-${set}-0`);
    expect(tookMs).toBeLessThan(GOAL_MS);
  }, 900_000);

  it('starts by itself after a proven loss if the user allowed it, and names its step', async () => {
    const [former] = await etcdAnswers({ cluster, ...at }, KEYS);
    const survivor = await survivingKeys({ cluster, ...at }, `${set}-0`, KEYS);
    const mode = 'operator.karmada.io/etcd-recovery-mode=Automatic';
    await kubectl(cluster, ['annotate', 'karmada', name, ...where, mode]);
    await loseMembers([1, 2], 'r1-etcd-data');
    await until('Ready', 'ChangeBlocked', 'etcd: the recovery waits');
    await untilRecovered(former?.clusterID);
    await untilReady(cluster, name, namespace);
    await expectKeys(survivor);
    await kubectl(cluster, ['annotate', 'karmada', name, ...where, `${mode.split('=')[0]}-`]);
  }, 900_000);

  it('reads the volume of a member that has restarted without a quorum', async () => {
    const [former] = await etcdAnswers({ cluster, ...at }, KEYS);
    const survivor = await survivingKeys({ cluster, ...at }, `${set}-0`, KEYS);
    await loseMembers([1, 2], 'r2-etcd-data');
    await kubectl(cluster, ['delete', 'pod', `${set}-0`, ...where, '--timeout=120s']);
    const message = await until('EtcdHealthy', 'QuorumLost', 'no member responds');
    const [, value = ''] = new RegExp(`${CONFIRM}=(\\S+)`).exec(message) ?? [];
    expect(value).toBe(`${set}-0/${String(former?.clusterID)}/volume`);
    await confirm(value);
    await untilRecovered(former?.clusterID);
    await untilReady(cluster, name, namespace);
    await expectKeys(survivor);
  }, 900_000);

  it('deletes the former volumes by the command of the page, and names them no more', async () => {
    const former = [...(await claims()).keys()].filter((claim) => !claim.startsWith('r3-'));
    expect(former).not.toEqual([]);
    expect((await condition('Warning')).message).toContain(former[0]);
    await recover('Delete the former data');
    await poll('the Warning is gone', async (seen) => {
      const { message = '' } = await condition('Warning');
      seen(message);
      return former.every((claim) => !message.includes(claim)) || undefined;
    });
    expect([...(await claims()).keys()].filter((claim) => !claim.startsWith('r3-'))).toEqual([]);
    await untilReady(cluster, name, namespace);
  }, 300_000);

  /** Expects that the API server returns all ConfigMaps of these etcd keys. */
  async function expectKeys(keys: readonly string[]): Promise<void> {
    const { items = [] } = (await inside?.list(configMaps, { namespace: 'default' })) ?? {};
    const names = items.map(({ metadata }) => `${KEYS}${metadata.name}`);
    expect(keys.filter((key) => !names.includes(key))).toEqual([]);
  }
});
