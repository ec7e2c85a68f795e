/**
 * Stages that take twice the progress deadline and are healthy. The operator must not call the control plane failed.
 *
 * @size large
 * @alone
 * @job faults
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Condition, Karmada } from '../../src/api/karmada.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { karmadaReleases } from '../../tools/embedded-cluster/releases.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { untilReady } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { pushForeignImage } from '../harness/foreign-image.ts';
import { installOperator } from '../harness/operator.ts';
import { startRegistry, startSlowAddress, stopRegistry } from '../harness/registry.ts';
import { SlowProvisioner } from '../harness/slow-provisioner.ts';

const name = 'karmada';
const DEADLINE_S = 60;
/** How long a stage is slow. */
const SLOW_S = 2 * DEADLINE_S + 20;
const SLOW_MS = SLOW_S * 1_000;
/** Namespaces, and the StorageClass of those with volumes. */
const PULL = 'slow-pull';
const VOLUME = 'slow-volume';
const RECOVERY = 'slow-recovery';
const SCHEDULER = `karmada-scheduler:${karmadaReleases.current}`;
/** Annotation that confirms a recovery of etcd. */
const CONFIRM = 'operator.karmada.io/etcd-recover-from';

/** etcd with volumes of a StorageClass. */
const etcdOf = (storageClassName: string, replicas: number): object => {
  const resources = { requests: { storage: '1Gi' } };
  const spec = { storageClassName, accessModes: ['ReadWriteOnce'], resources };
  return { local: { replicas, volumeData: { volumeClaim: { spec } } } };
};

describeCluster('control planes with a slow stage', () => {
  let cluster: Cluster;

  const create = async (namespace: string, components: object): Promise<void> => {
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await apply(cluster, {
      apiVersion: 'operator.karmada.io/v1alpha1',
      kind: 'Karmada',
      metadata: { name, namespace },
      spec: { components: { karmadaMetricsAdapter: { replicas: 1 }, ...components } },
    });
  };

  const remove = async (namespace: string): Promise<void> => {
    await tryKubectl(cluster, ['delete', 'karmada', '--all', '-n', namespace, '--timeout=90s']);
    const gone = ['namespace', namespace, '--ignore-not-found', '--timeout=120s'];
    await tryKubectl(cluster, ['delete', ...gone]);
  };

  /** Conditions that call a control plane failed. */
  const failures = ({ status }: Karmada): readonly Condition[] =>
    (status?.conditions ?? []).filter(
      ({ type, status: value }) => value === 'True' && ['Degraded', 'Stalled'].includes(type),
    );

  /** Observes a control plane until a condition holds. @returns all failures that it reported meanwhile */
  async function failuresUntil(
    namespace: string,
    what: string,
    isOver: (karmada: Karmada) => boolean,
  ): Promise<readonly Condition[]> {
    const found: Condition[] = [];
    await poll(
      what,
      async (seen) => {
        const karmada = await getObject<Karmada>(cluster, 'karmada', name, namespace);
        seen(JSON.stringify(karmada.status?.conditions));
        found.push(...failures(karmada));
        return isOver(karmada) || undefined;
      },
      { deadlineMs: (SLOW_S + 300) * 1_000, intervalMs: 1_000 },
    );
    return found;
  }

  const says = (karmada: Karmada, type: string): string =>
    karmada.status?.conditions?.find((one) => one.type === type)?.reason ?? '';

  /** Provisioners by namespace. */
  const provisioners = new Map<string, SlowProvisioner>();

  async function startProvisioner(namespace: string, delayMs: number): Promise<SlowProvisioner> {
    const provisioner = new SlowProvisioner(cluster, namespace);
    provisioner.delayMs = delayMs;
    provisioners.set(namespace, provisioner);
    await provisioner.start();
    return provisioner;
  }

  /** Waits until a PVC exists. */
  const untilClaim = (namespace: string, claim: string): Promise<void> =>
    poll(
      `the PVC ${claim} exists`,
      async (seen) => {
        const { stdout, stderr } = await tryKubectl(cluster, [
          'get',
          'pvc',
          claim,
          '-n',
          namespace,
          '-o',
          'jsonpath={.metadata.uid}',
        ]);
        seen(stderr);
        return stdout === '' ? undefined : true;
      },
      { deadlineMs: 300_000 },
    ).then(() => undefined);

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    for (const namespace of [PULL, VOLUME, RECOVERY]) {
      await remove(namespace);
      await new SlowProvisioner(cluster, namespace).clean();
    }
    await installOperator(cluster, {
      operator: { extraArgs: [`--progress-deadline=${String(DEADLINE_S)}s`] },
    });
  }, 1_800_000);

  afterAll(async () => {
    const stopped = await Promise.allSettled([...provisioners.values()].map((one) => one.stop()));
    for (const namespace of [PULL, VOLUME, RECOVERY]) await remove(namespace);
    for (const provisioner of provisioners.values()) await provisioner.clean();
    stopRegistry(cluster);
    expect(stopped.filter(({ status }) => status === 'rejected')).toEqual([]);
  }, 600_000);

  it('waits for an image pull that takes twice the deadline', async () => {
    const registry = await startRegistry(cluster, true);
    const slow = await startSlowAddress(cluster, registry, SLOW_S);
    // A name that no earlier run has left on the node.
    const folder = `pull-${String(Date.now())}`;
    const image = { program: 'karmada-scheduler', name: `${folder}/${SCHEDULER}` };
    await pushForeignImage(cluster, registry, image);
    await create(PULL, {
      etcd: { local: { volumeData: { emptyDir: {} } } },
      karmadaScheduler: { imageRepository: `${slow}/${folder}/karmada-scheduler` },
    });
    const began = Date.now();
    const found = await failuresUntil(PULL, 'the scheduler is ready', (karmada) => {
      return says(karmada, 'SchedulerReady') === 'Available';
    });
    expect(Date.now() - began).toBeGreaterThan(SLOW_MS);
    expect(found).toEqual([]);
    await untilReady(cluster, name, PULL);
  }, 900_000);

  it('waits for a volume whose provisioner takes twice the deadline', async () => {
    const provisioner = await startProvisioner(VOLUME, Infinity);
    await create(VOLUME, { etcd: etcdOf(VOLUME, 1) });
    await untilClaim(VOLUME, `etcd-data-${name}-etcd-0`);
    const ends = Date.now() + SLOW_MS;
    const found = await failuresUntil(VOLUME, 'the time has passed', () => Date.now() > ends);
    expect(found).toEqual([]);
    provisioner.delayMs = 0;
    await untilReady(cluster, name, VOLUME, 300_000);
  }, 900_000);

  /** Deletes two of three etcd members with their volumes, and waits for the value that confirms a recovery from the third one. */
  async function loseQuorum(): Promise<string> {
    const lost = [1, 2].map((ordinal) => `${name}-etcd-${String(ordinal)}`);
    const volumes = lost.map((pod) => `etcd-data-${pod}`);
    await kubectl(cluster, ['delete', 'pvc', ...volumes, '-n', RECOVERY, '--wait=false']);
    const now = ['--force', '--grace-period=0'];
    await kubectl(cluster, ['delete', 'pod', ...lost, '-n', RECOVERY, ...now]);
    return poll(
      'the status names the data that is left',
      async (seen) => {
        const { status } = await getObject<Karmada>(cluster, 'karmada', name, RECOVERY);
        const healthy = status?.conditions?.find(({ type }) => type === 'EtcdHealthy');
        seen(JSON.stringify(healthy));
        return new RegExp(`${CONFIRM}=(\\S+)`).exec(healthy?.message ?? '')?.[1];
      },
      { deadlineMs: 180_000, intervalMs: 1_000 },
    );
  }

  it('waits for a recovery of etcd whose volume takes twice the deadline', async () => {
    const provisioner = await startProvisioner(RECOVERY, 0);
    await create(RECOVERY, {
      etcd: etcdOf(RECOVERY, 3),
      karmadaMetricsAdapter: { enabled: false },
    });
    await untilReady(cluster, name, RECOVERY, 300_000);
    provisioner.delayMs = Infinity;
    const member = await loseQuorum();
    await kubectl(cluster, [
      'annotate',
      '--overwrite',
      'karmada',
      name,
      '-n',
      RECOVERY,
      `${CONFIRM}=${member}`,
    ]);
    // Until now, the loss of the members is a failure.
    await untilClaim(RECOVERY, `r1-etcd-data-${name}-etcd-0`);
    const began = Date.now();
    await poll(
      'the recovery is no failure',
      async (seen) => {
        const karmada = await getObject<Karmada>(cluster, 'karmada', name, RECOVERY);
        seen(JSON.stringify(karmada.status?.conditions));
        return failures(karmada).length === 0 || undefined;
      },
      { deadlineMs: DEADLINE_S * 500 },
    );
    const ends = began + SLOW_MS;
    const found = await failuresUntil(RECOVERY, 'the time has passed', () => Date.now() > ends);
    expect(found).toEqual([]);
    provisioner.delayMs = 0;
    await untilReady(cluster, name, RECOVERY, 600_000);
  }, 1_500_000);
});
