import { join } from 'node:path';
import { writeOperatorImage } from '../../scripts/image/operator.ts';
import { loadImages, type Cluster } from '../cluster/cluster.ts';
import * as demo from '../demo/install.ts';

/**
 * Installs this checkout's operator into a cluster with its chart, or upgrades the one that is there.
 * @param version the build calls itself so; the version of the package when absent
 */
export async function installOperator(
  cluster: Cluster,
  values: { operator?: object; [value: string]: unknown } = {},
  version?: string,
): Promise<void> {
  const { file, reference } = await writeOperatorImage(undefined, version);
  await loadImages(cluster, [file]);
  const target = { helm: join(cluster.bin, 'helm'), kubeconfig: cluster.kubeconfig };
  await demo.installOperator(target, reference, values);
}
