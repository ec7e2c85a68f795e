/** The chart of the Go operator, from the Go module of Karmada. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { V1Deployment } from '@kubernetes/client-node';
import { loadAll } from 'js-yaml';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { operatorNamespace, release } from '../demo/install.ts';
import { dataVolume, seedArchive, type GoHost, type KarmadaRelease } from './go-operator.ts';
import { writeKarmadaChart } from './karmada-charts.ts';

/** Adds the volume of the data directory to the Deployment. */
function withData(object: KubernetesObject, data: string): KubernetesObject {
  if (object.kind !== 'Deployment') return object;
  const { volume, mount } = dataVolume(data);
  const { spec } = object as unknown as V1Deployment;
  const pod = spec?.template.spec;
  const containers = pod?.containers.map((one) => ({ ...one, volumeMounts: [mount] }));
  const template = { ...spec?.template, spec: { ...pod, containers, volumes: [volume] } };
  return { ...object, spec: { ...spec, template } } as KubernetesObject;
}

/** Writes a chart with these objects and no values. */
async function writeChart(folder: string, objects: readonly KubernetesObject[]): Promise<void> {
  await mkdir(join(folder, 'templates'), { recursive: true });
  const chart = { apiVersion: 'v2', name: release, version: '0.0.1' };
  await writeFile(join(folder, 'Chart.yaml'), JSON.stringify(chart));
  const documents = objects.map((object) => JSON.stringify(object)).join('\n---\n');
  await writeFile(join(folder, 'objects.yaml'), documents);
  await writeFile(join(folder, 'templates/objects.yaml'), '{{ .Files.Get "objects.yaml" }}');
}

/**
 * Installs the Helm release of the Go operator in place of that of this operator, as revision 1. Its objects are those
 * of its chart, and the Pod has a volume with a preloaded CRD archive.
 */
export async function installGoRelease(host: GoHost, version: KarmadaRelease): Promise<void> {
  const { bin, kubeconfig } = host.cluster;
  const directory = await mkdtemp(join(tmpdir(), 'go-operator-chart-'));
  const helm = (...args: readonly string[]): Promise<string> =>
    run([join(bin, 'helm'), ...args, '--namespace', operatorNamespace], {
      env: { KUBECONFIG: kubeconfig },
    });
  try {
    const [source, chart] = [join(directory, 'source'), join(directory, 'release')];
    await writeKarmadaChart(source, 'karmada-operator', version);
    const text = await helm('template', release, source, `--set=operator.image.tag=${version}`);
    const data = await seedArchive(host, version);
    const objects = (loadAll(text) as (KubernetesObject | null)[]).filter((one) => one !== null);
    await writeChart(
      chart,
      objects.map((object) => withData(object, data)),
    );
    await helm('uninstall', release, '--ignore-not-found', '--wait');
    const install = ['install', release, chart, '--create-namespace', '--take-ownership'];
    await helm(...install, '--wait', '--timeout=3m');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Rolls the release back to the Go operator. */
export async function rollBackToGoOperator({ cluster }: GoHost): Promise<void> {
  const args = ['rollback', release, '1', '--namespace', operatorNamespace, '--wait'];
  await run([join(cluster.bin, 'helm'), ...args], { env: { KUBECONFIG: cluster.kubeconfig } });
}
