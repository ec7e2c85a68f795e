/** The charts in the Go module of Karmada. */
import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { karmadaModule } from '../../scripts/image/karmada-module.ts';
import type { KarmadaRelease } from './go-operator.ts';

/**
 * The charts depend on the library chart `common` of Bitnami, which the module does not contain. These templates have
 * the names that the charts include. For a Helm release named like the chart, they render the same names, selectors
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

/** Files and folders of the charts. That of the Go operator has the folder `crds` up to v1.17, and a template since then. */
const PARTS = ['Chart.yaml', 'values.yaml', 'templates', 'crds', '_crds'];

/**
 * Writes a chart to a new folder: links to the files of the module, and a chart in place of its dependency.
 * @param chart that of the Go operator, or that of a control plane
 */
export async function writeKarmadaChart(
  folder: string,
  chart: 'karmada-operator' | 'karmada',
  version: KarmadaRelease,
): Promise<void> {
  const source = join(await karmadaModule(version), 'charts', chart);
  const library = join(folder, 'charts/common');
  await mkdir(join(library, 'templates'), { recursive: true });
  for (const name of PARTS)
    if (existsSync(join(source, name))) await symlink(join(source, name), join(folder, name));
  const common = { apiVersion: 'v2', name: 'common', version: '2.0.0', type: 'library' };
  await writeFile(join(library, 'Chart.yaml'), JSON.stringify(common));
  await writeFile(join(library, 'templates/_common.tpl'), COMMON);
}
