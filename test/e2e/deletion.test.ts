/**
 * @size large
 * @sample medium
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Condition, Karmada, KarmadaSpec } from '../../src/api/karmada.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { untilReady } from '../harness/control-plane.ts';
import { installOperator } from '../harness/operator.ts';
import { runsAll, seed, seededRandom } from '../harness/sample.ts';

const CASCADING = 'operator.karmada.io/disable-cascading-deletion';
const KINDS = 'deployments,statefulsets,services,poddisruptionbudgets,secrets,pods,pvc';
const GONE = { deadlineMs: 180_000, intervalMs: 500 };

const emptyDir: KarmadaSpec = {
  components: { etcd: { local: { volumeData: { emptyDir: {} } } } },
};

function karmada(namespace: string, spec: KarmadaSpec, labels: object = {}): object {
  return {
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata: { name: 'karmada-gone', namespace, labels },
    spec,
  };
}

const name = 'karmada-gone';

/** Returns random delays in milliseconds from the seed of this run; the first is 0. */
function moments(count: number, within: number): readonly number[] {
  const random = seededRandom(seed);
  const rest = Array.from({ length: (runsAll ? 4 * count : count) - 1 }, () => random() * within);
  return [0, ...rest.map(Math.round)];
}

describeCluster('Karmada deletion', () => {
  let cluster: Cluster;
  const used: string[] = [];

  const newNamespace = async (called: string): Promise<string> => {
    used.push(called);
    await tryKubectl(cluster, ['delete', 'namespace', called, '--wait', '--timeout=180s']);
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: called } });
    return called;
  };

  /** Returns the existing objects of the control plane as `kind/name`. */
  const remains = async (namespace: string): Promise<readonly string[]> => {
    const selector = ['-l', `app.kubernetes.io/instance=${name}`, '-o', 'name'];
    const found = await kubectl(cluster, ['get', KINDS, '-n', namespace, ...selector]);
    return found.split('\n').filter(Boolean);
  };

  const deleteKarmada = async (namespace: string): Promise<void> => {
    await kubectl(cluster, ['delete', 'karmada', name, '-n', namespace, '--wait=false']);
    await untilGone('karmada', name, ['-n', namespace]);
  };

  const untilGone = async (kind: string, called: string, where: string[] = []): Promise<void> => {
    await poll(
      `${kind} ${called} is deleted`,
      async (seen) => {
        const path = ['-o', 'jsonpath={.metadata.finalizers} {.spec.finalizers} {.status}'];
        const found = await tryKubectl(cluster, ['get', kind, called, ...where, ...path]);
        seen(found.stdout + found.stderr);
        return /NotFound/.test(found.stderr) ? true : undefined;
      },
      GONE,
    );
  };

  const untilCondition = async (
    namespace: string,
    holds: (conditions: readonly Condition[]) => boolean,
  ): Promise<void> => {
    await poll(
      'the conditions are as expected',
      async (seen) => {
        const { status } = await getObject<Karmada>(cluster, 'karmada', name, namespace);
        seen(JSON.stringify(status?.conditions));
        return holds(status?.conditions ?? []) ? true : undefined;
      },
      { deadlineMs: 180_000, intervalMs: 500 },
    );
  };

  beforeAll(async () => {
    cluster = await useCluster(['busybox', 'etcd', 'kubernetes', 'karmada']);
    await installOperator(cluster);
  }, 1_800_000);

  afterAll(async () => {
    for (const namespace of used)
      await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
  }, 60_000);

  it.each(moments(3, 8_000))(
    'leaves nothing when the Karmada is deleted %d ms after its creation',
    async (after) => {
      const namespace = await newNamespace('gone-early');
      await apply(cluster, karmada(namespace, emptyDir));
      await delay(after);
      await deleteKarmada(namespace);
      expect(await remains(namespace)).toEqual([]);
    },
    400_000,
  );

  it.each(moments(3, 20_000))(
    'completes when the Namespace is deleted %d ms after the creation of the Karmada',
    async (after) => {
      const namespace = await newNamespace('gone-installing');
      await apply(cluster, karmada(namespace, {}));
      await delay(after);
      await kubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
      await untilGone('namespace', namespace);
    },
    600_000,
  );

  it('leaves nothing when an image is not present on the node', async () => {
    const namespace = await newNamespace('gone-imageless');
    const { etcd } = emptyDir.components ?? {};
    const karmadaAPIServer = { imageTag: 'v0.0.1', imagePullPolicy: 'Never' } as const;
    await apply(
      cluster,
      karmada(namespace, { components: { etcd: { ...etcd }, karmadaAPIServer } }),
    );
    await untilCondition(namespace, (conditions) =>
      conditions.some(
        ({ type, status, reason }) =>
          type === 'Degraded' && status === 'True' && reason === 'ImageNotPresent',
      ),
    );
    await deleteKarmada(namespace);
    expect(await remains(namespace)).toEqual([]);
  }, 600_000);

  it('keeps a running control plane when cascading deletion is disabled, and a new Karmada manages it', async () => {
    const namespace = await newNamespace('gone-kept');
    await apply(cluster, karmada(namespace, emptyDir, { [CASCADING]: 'true' }));
    await untilReady(cluster, name, namespace);
    const before = await remains(namespace);
    await deleteKarmada(namespace);
    // Gives the garbage collector time to delete objects whose owner is missing.
    await delay(10_000);
    expect(await remains(namespace)).toEqual(before);
    const owners = await kubectl(cluster, [
      'get',
      KINDS,
      '-n',
      namespace,
      '-o',
      'jsonpath={.items[*].metadata.ownerReferences[*].kind}',
    ]);
    expect(owners).not.toContain('Karmada');
    await apply(cluster, karmada(namespace, emptyDir));
    await untilReady(cluster, name, namespace);
    expect(await remains(namespace)).toEqual(before);
    await kubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
    await untilGone('namespace', namespace);
  }, 900_000);

  it('deletes the PVCs when whenDeleted is Delete, even if the API server is unavailable', async () => {
    const namespace = await newNamespace('gone-whole');
    const local = { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } } as const;
    await apply(cluster, karmada(namespace, { components: { etcd: { local } } }));
    await untilReady(cluster, name, namespace);
    expect(await remains(namespace)).toContain(`persistentvolumeclaim/etcd-data-${name}-etcd-0`);
    const suspend = JSON.stringify({ spec: { suspend: true } });
    await kubectl(cluster, [
      'patch',
      'karmada',
      name,
      '-n',
      namespace,
      '--type',
      'merge',
      '--patch',
      suspend,
    ]);
    await untilCondition(namespace, (conditions) =>
      conditions.some(({ type, status }) => type === 'Suspended' && status === 'True'),
    );
    const server = ['deployment', `${name}-apiserver`, '-n', namespace];
    await kubectl(cluster, ['scale', ...server, '--replicas=0']);
    await kubectl(cluster, ['rollout', 'status', ...server, '--timeout=60s']);
    await deleteKarmada(namespace);
    expect(await remains(namespace)).toEqual([]);
  }, 900_000);
});
