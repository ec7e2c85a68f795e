import { join } from 'node:path';
import { writeOperatorImage } from '../../scripts/image/operator.ts';
import { loadImages, type Cluster } from '../cluster/cluster.ts';
import { run } from '../cluster/command.ts';
import { checkout } from '../cluster/paths.ts';
import { operatorNamespace, release, splitReference } from '../demo/install.ts';

/** Installs this checkout's operator into a cluster with its chart, or upgrades the one that is there. */
export async function installOperator(cluster: Cluster, values: object = {}): Promise<void> {
  const { file, reference } = await writeOperatorImage();
  await loadImages(cluster, [file]);
  const image = splitReference(reference);
  const all = { ...values, operator: { ...(values as { operator?: object }).operator, image } };
  const where = ['--kubeconfig', cluster.kubeconfig, '--namespace', operatorNamespace];
  const chart = join(checkout, 'charts/karmada-operator');
  await run(
    [
      ...[join(cluster.bin, 'helm'), 'upgrade', '--install', release, chart, ...where],
      ...['--create-namespace', '--wait', '--timeout=3m', '--values=-'],
    ],
    { input: JSON.stringify(all) },
  );
}
