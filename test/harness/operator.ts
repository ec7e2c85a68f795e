import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeOperatorImage, type OperatorImage } from '../../scripts/image/operator.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { resources } from '../../src/kubernetes/objects/resources.ts';
import { isRolledOut } from '../../src/components/rollout.ts';
import { loadImages, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { checkout, digest } from '../../tools/embedded-cluster/paths.ts';
import { clusterDirectory } from '../../tools/embedded-cluster/slot.ts';
import * as demo from '../demo/install.ts';
import { withClient } from './client.ts';

/** Image of the operator of this checkout. The test command builds it once for all suites. */
export async function operatorImage(version?: string): Promise<OperatorImage> {
  const built = process.env['KARMADA_TEST_IMAGE'];
  if (built === undefined || version !== undefined) return writeOperatorImage(undefined, version);
  return JSON.parse(built) as OperatorImage;
}

/** Image and chart of the same build. */
export interface OperatorBuild {
  readonly image: OperatorImage;
  /** Folder of the chart. */
  readonly chart: string;
}

/** Digest of all inputs of an installation. */
function installationKey({ image, chart }: OperatorBuild, values: demo.ChartValues): string {
  const files = readdirSync(chart, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const contents = files.flatMap((file) => [file, readFileSync(file)]);
  return digest(image.reference, JSON.stringify(values), ...contents);
}

const installedFile = ({ name }: Cluster): string => join(clusterDirectory(name), 'operator');

/** UID and generation of the operator Deployment; undefined if its rollout is not complete. */
async function presentOperator(cluster: Cluster): Promise<string | undefined> {
  const key = { namespace: demo.operatorNamespace, name: demo.release };
  const found = await withClient(cluster, (client) => client.find(resources.Deployment, key));
  if (found === undefined || !isRolledOut(found)) return undefined;
  const { uid, generation } = (found as KubernetesObject).metadata;
  return `${String(uid)} ${String(generation)}`;
}

/** Loads the image of the operator of this checkout into a cluster without the operator, for Pods of backups. */
export async function loadOperatorImage(cluster: Cluster): Promise<void> {
  await loadImages(cluster, [(await operatorImage()).file]);
}

/**
 * Installs the operator of this checkout into a cluster with its chart, or upgrades an existing installation. An
 * unchanged, running installation of an earlier suite with the same inputs is kept.
 * @param version version that the build reports; defaults to the package version
 */
export async function installOperator(
  cluster: Cluster,
  values: demo.ChartValues = {},
  version?: string,
): Promise<void> {
  const build = { image: await operatorImage(version), chart: join(checkout, demo.chartFolder) };
  await installBuild(cluster, build, demo.withPreloadedImage(values));
}

/** Like `installOperator`, with any build. */
export async function installBuild(
  cluster: Cluster,
  build: OperatorBuild,
  values: demo.ChartValues = {},
): Promise<void> {
  const { file, reference } = build.image;
  const key = installationKey(build, values);
  const present = await presentOperator(cluster);
  const marker = installedFile(cluster);
  const known = existsSync(marker) ? await readFile(marker, 'utf8') : '';
  if (present !== undefined && known === `${key} ${present}`) return;
  await loadImages(cluster, [file]);
  const target = { helm: join(cluster.bin, 'helm'), kubeconfig: cluster.kubeconfig };
  await demo.installOperator(target, reference, values, build.chart);
  await writeFile(marker, `${key} ${(await presentOperator(cluster)) ?? ''}`);
}
