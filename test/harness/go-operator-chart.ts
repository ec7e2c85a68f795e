/** The chart of the Go operator, from the Go module of Karmada. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { V1Deployment } from '@kubernetes/client-node';
import { loadAll } from 'js-yaml';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { operatorNamespace, release } from '../demo/install.ts';
import {
  dataVolume,
  moduleDirectory,
  seedArchive,
  type GoHost,
  type KarmadaRelease,
} from './go-operator.ts';

/**
 * The chart depends on the library chart `common` of Bitnami, which the module does not contain. These templates have
 * the names that the chart includes. For a Helm release named `karmada-operator`, they render the same names, selectors
 * and labels as version 2 of the library; global values and pull Secrets have no effect.
 */
const COMMON = `
{{- define "common.names.fullname" -}}{{ .Release.Name }}{{- end -}}
{{- define "common.labels.matchLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
{{- define "common.labels.standard" -}}
{{ include "common.labels.matchLabels" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}
{{- define "common.images.image" -}}
{{ .imageRoot.registry }}/{{ .imageRoot.repository }}:{{ .imageRoot.tag }}
{{- end -}}
{{- define "common.images.pullSecrets" -}}{{- end -}}
{{- define "common.tplvalues.render" -}}{{ toYaml .value }}{{- end -}}
`;

/**
 * Writes the chart of the Go operator to a new folder: links to the files of the module, and a chart in place of its
 * dependency.
 */
export async function writeGoOperatorChart(folder: string, version: KarmadaRelease): Promise<void> {
  const source = join(await moduleDirectory(version), 'charts/karmada-operator');
  const library = join(folder, 'charts/common');
  await mkdir(join(library, 'templates'), { recursive: true });
  // Charts up to v1.17 have the folder `crds`, later ones a template.
  for (const name of ['Chart.yaml', 'values.yaml', 'templates', 'crds'])
    if (existsSync(join(source, name))) await symlink(join(source, name), join(folder, name));
  const chart = { apiVersion: 'v2', name: 'common', version: '2.0.0', type: 'library' };
  await writeFile(join(library, 'Chart.yaml'), JSON.stringify(chart));
  await writeFile(join(library, 'templates/_common.tpl'), COMMON);
}

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
    await writeGoOperatorChart(source, version);
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
