/**
 * Stages that take twice the progress deadline and are healthy. The operator must not call the control plane failed.
 *
 * @size large
 * @alone
 * @job faults
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Condition, Karmada } from '../../src/api/karmada.ts';
import { kubectl, tryKubectl, type Cluster } from '../embedded-cluster/cluster.ts';
import { run } from '../embedded-cluster/command.ts';
import { inNode } from '../embedded-cluster/node.ts';
import { poll } from '../embedded-cluster/poll.ts';
import { karmadaReleases } from '../embedded-cluster/releases.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { untilReady } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { installOperator } from '../harness/operator.ts';
import { pushImage, startRegistry, startSlowAddress, stopRegistry } from '../harness/registry.ts';

const name = 'karmada';
const DEADLINE_S = 60;
/** How long a stage is slow. */
const SLOW_S = 2 * DEADLINE_S + 20;
const CLASS = 'slow-volume';
const SCHEDULER = `karmada-scheduler:${karmadaReleases.current}`;

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
    const shared = ['persistentvolume,storageclass', CLASS, '--ignore-not-found'];
    await tryKubectl(cluster, ['delete', ...shared, '--wait=false']);
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

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    for (const namespace of ['slow-pull', CLASS]) await remove(namespace);
    await installOperator(cluster, {
      operator: { extraArgs: [`--progress-deadline=${String(DEADLINE_S)}s`] },
    });
  }, 1_800_000);

  afterAll(async () => {
    for (const namespace of ['slow-pull', CLASS]) await remove(namespace);
    stopRegistry(cluster);
  }, 600_000);

  it('waits for an image pull that takes twice the deadline', async () => {
    const registry = await startRegistry(cluster, true);
    const slow = await startSlowAddress(cluster, registry, SLOW_S);
    await pushImage(cluster, registry, `docker.io/karmada/${SCHEDULER}`, SCHEDULER);
    await create('slow-pull', {
      etcd: { local: { volumeData: { emptyDir: {} } } },
      karmadaScheduler: { imageRepository: `${slow}/karmada-scheduler` },
    });
    const began = Date.now();
    const found = await failuresUntil('slow-pull', 'the scheduler is ready', (karmada) => {
      return says(karmada, 'SchedulerReady') === 'Available';
    });
    expect(Date.now() - began).toBeGreaterThan(SLOW_S * 1_000);
    expect(found).toEqual([]);
    await untilReady(cluster, name, 'slow-pull');
  }, 900_000);

  it('waits for a volume whose provisioner takes twice the deadline', async () => {
    const claim = `etcd-data-${name}-etcd-0`;
    const storage = { requests: { storage: '1Gi' } };
    const accessModes = ['ReadWriteOnce'];
    await apply(cluster, {
      ...{ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: CLASS } },
      ...{ provisioner: 'example.com/slow', volumeBindingMode: 'Immediate' },
    });
    const spec = { storageClassName: CLASS, accessModes, resources: storage };
    await create(CLASS, { etcd: { local: { volumeData: { volumeClaim: { spec } } } } });
    const uid = await poll('the PVC exists', async (seen) => {
      const read = ['get', 'pvc', claim, '-n', CLASS, '-o', 'jsonpath={.metadata.uid}'];
      const { stdout, stderr } = await tryKubectl(cluster, read);
      seen(stderr);
      return stdout === '' ? undefined : stdout;
    });
    const reference = {
      ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
      ...{ name: claim, namespace: CLASS, uid },
    };
    await reportProvisioning(cluster, reference);
    const ends = Date.now() + SLOW_S * 1_000;
    const found = await failuresUntil(CLASS, 'the time has passed', () => Date.now() > ends);
    expect(found).toEqual([]);
    await provide(cluster, reference);
    await untilReady(cluster, name, CLASS, 300_000);
  }, 900_000);
});

interface ClaimReference {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

/** Records the Event with which an external provisioner reports that it starts. */
async function reportProvisioning(cluster: Cluster, claim: ClaimReference): Promise<void> {
  const { namespace } = claim;
  const now = new Date().toISOString();
  const event = {
    ...{ apiVersion: 'v1', kind: 'Event', metadata: { name: CLASS, namespace } },
    ...{ involvedObject: claim, type: 'Normal', reason: 'Provisioning', count: 1 },
    message: `External provisioner is provisioning volume for claim "${namespace}/${claim.name}"`,
    ...{ source: { component: 'example.com/slow' }, firstTimestamp: now, lastTimestamp: now },
  };
  await kubectl(cluster, ['create', '-f', '-'], JSON.stringify(event));
}

/** Creates the volume of a PVC: a directory of the node. */
async function provide(cluster: Cluster, claimRef: ClaimReference): Promise<void> {
  const path = `/var/lib/karmada-faults/${CLASS}-${claimRef.uid}`;
  const script = 'mkdir -p "$0" && chmod 777 "$0"';
  await run(inNode(cluster.node, ['sh', '-c', script, path]));
  await apply(cluster, {
    ...{ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: CLASS } },
    spec: {
      ...{ capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], claimRef },
      ...{ storageClassName: CLASS, persistentVolumeReclaimPolicy: 'Retain' },
      hostPath: { path, type: 'Directory' },
    },
  });
}
