/** Backup before an upgrade of a real control plane: taken and verified before the first step. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { KarmadaBackup } from '../../src/api/backup/kinds.ts';
import type { Karmada } from '../../src/api/karmada.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { karmadaReleases, kubernetesReleases } from '../../tools/embedded-cluster/releases.ts';
import { karmadaName as name } from '../harness/backup-objects.ts';
import { BackupScene } from '../harness/backup-scene.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { untilReady } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { installOperator } from '../harness/operator.ts';
import { planOfPatch } from '../harness/plan.ts';

const namespace = 'upgrade-backup';
const where = ['-n', namespace];
const { current, previous } = karmadaReleases;
const tag = { imageTag: kubernetesReleases.previous };

/** Upgrades Karmada, and Kubernetes to the default of the new release. */
const UPGRADE = {
  version: current,
  components: { karmadaAPIServer: { imageTag: null }, kubeControllerManager: { imageTag: null } },
};

describeCluster('backup before an upgrade', () => {
  let cluster: Cluster;

  const patch = (spec: object): Promise<string> =>
    kubectl(cluster, [
      'patch',
      'karmada',
      name,
      ...where,
      '--type=merge',
      '-p',
      JSON.stringify({ spec }),
    ]);

  const images = async (): Promise<string> =>
    kubectl(cluster, [
      'get',
      'deployments,statefulsets',
      ...where,
      '-o',
      'jsonpath={range .items[*]}{.spec.template.spec.containers[0].image}{"\\n"}{end}',
    ]);

  const karmada = (): Promise<Karmada> => getObject<Karmada>(cluster, 'karmada', name, namespace);

  async function clean(): Promise<void> {
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...where, '--timeout=120s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--timeout=180s']);
  }

  beforeAll(async () => {
    cluster = await useCluster([
      ...(['etcd', 'kubernetes', 'karmada', 'kubernetes-previous', 'karmada-previous'] as const),
    ]);
    await installOperator(cluster);
    const scene = new BackupScene(cluster, namespace);
    await clean();
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const components = { karmadaAPIServer: tag, kubeControllerManager: tag };
    await apply(cluster, scene.karmada(1, { version: previous, components }), ...scene.store());
    await untilReady(cluster, name, namespace);
  }, 1_800_000);

  afterAll(clean, 240_000);

  it('is verified before the first step, and the status names it', async () => {
    const plan = await planOfPatch(cluster, { name, namespace }, UPGRADE);
    expect(plan).toContain('Before the first step:\n  KarmadaBackup ');
    await patch(UPGRADE);
    const named = await poll(
      'the status names the backup',
      async (seen) => {
        const { status } = await karmada();
        seen(JSON.stringify(status));
        return status?.upgrade?.backup;
      },
      { deadlineMs: 60_000, intervalMs: 200 },
    );
    expect(plan).toContain(named);
    await poll(
      'the backup is verified',
      async (seen) => {
        // Images first: the backup may be verified between both reads.
        const found = await images();
        const backup = await getObject<KarmadaBackup>(cluster, 'karmadabackup', named, namespace);
        seen(JSON.stringify(backup.status));
        if (backup.status?.phase === 'Verified') return backup;
        expect(found).not.toContain(current);
        expect(found).not.toContain(kubernetesReleases.current);
        return undefined;
      },
      { deadlineMs: 240_000, intervalMs: 200 },
    );
    await untilReady(cluster, name, namespace);
    const { status } = await karmada();
    expect(status?.versions).toMatchObject({
      karmada: current,
      kubernetes: kubernetesReleases.current,
    });
    expect(status?.upgrade).toBeUndefined();
    const backups = await kubectl(cluster, ['get', 'karmadabackups', ...where, '-o', 'name']);
    expect(backups.trim().split('\n')).toHaveLength(1);
  }, 900_000);
});
