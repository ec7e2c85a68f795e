/**
 * Upgrades the Helm release of an earlier chart to the chart of this checkout, and uninstalls it.
 *
 * @tier all
 */
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { kubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { operatorNamespace, release } from '../demo/install.ts';
import { useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { BEFORE_RECORDS, formerOperator } from '../harness/former-operator.ts';
import { installBuild, installOperator } from '../harness/operator.ts';

/** Kinds whose objects expire, or that the API server creates for a CRD. */
const OTHERS: ReadonlySet<string> = new Set(['Event', 'APIService']);

const isOfRelease = ({ metadata }: KubernetesObject): boolean =>
  metadata.name.includes(release) ||
  metadata.name.endsWith('operator.karmada.io') ||
  metadata.labels?.['app.kubernetes.io/instance'] === release;

describeCluster('Helm release of an earlier chart', () => {
  let cluster: Cluster;

  /** Every object of the cluster that belongs to the operator, as `kind name`. */
  async function remaining(): Promise<string[]> {
    const list = ['api-resources', '--verbs=list', '-o', 'name'];
    const types = (await kubectl(cluster, list)).split('\n').filter(Boolean);
    const text = await kubectl(cluster, ['get', types.join(','), '-A', '-o', 'json']);
    const { items } = JSON.parse(text) as { readonly items: readonly KubernetesObject[] };
    const found = items.filter((object) => !OTHERS.has(object.kind) && isOfRelease(object));
    return [...new Set(found.map(({ kind, metadata }) => `${kind} ${metadata.name}`))].sort();
  }

  beforeAll(async () => {
    cluster = await useCluster();
    const helm = join(cluster.bin, 'helm');
    const uninstall = [helm, 'uninstall', release, '-n', operatorNamespace, '--ignore-not-found'];
    await run([...uninstall, '--wait'], { env: { KUBECONFIG: cluster.kubeconfig } });
    await installBuild(cluster, await formerOperator(BEFORE_RECORDS));
  }, 1_800_000);

  it('is upgraded, and leaves only the CRDs and Leases when it is uninstalled', async () => {
    await installOperator(cluster);
    expect(await remaining()).toEqual(
      expect.arrayContaining([`ClusterRole ${release}`, `Deployment ${release}`]),
    );
    const helm = [join(cluster.bin, 'helm'), 'uninstall', release, '-n', operatorNamespace];
    await run([...helm, '--wait'], { env: { KUBECONFIG: cluster.kubeconfig } });
    const expected = [
      'CustomResourceDefinition karmadabackups.backup.operator.karmada.io',
      'CustomResourceDefinition karmadabackupschedules.backup.operator.karmada.io',
      'CustomResourceDefinition karmadabackupstores.backup.operator.karmada.io',
      'CustomResourceDefinition karmadarestores.backup.operator.karmada.io',
      'CustomResourceDefinition karmadas.operator.karmada.io',
      'Lease karmada-operator',
      'Lease karmadas.operator.karmada.io',
    ];
    await poll('only the CRDs and Leases remain', async (seen) => {
      const found = await remaining();
      seen(found.join(', '));
      return found.join() === expected.join() || undefined;
    });
  }, 600_000);
});
