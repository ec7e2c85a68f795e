import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { ensureBinaries } from '../../tools/embedded-cluster/binaries.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { kubernetesReleases } from '../../tools/embedded-cluster/releases.ts';
import { backupCrds } from '../crd/backups.ts';
import { CONTROL_PLANE } from '../dashboards/control-plane.ts';
import { FLEET } from '../dashboards/fleet.ts';
import { grafanaDashboard } from '../dashboards/render.ts';
import { deployFiles, kustomization, release, WATCHED_NAMESPACE } from './manifests.ts';

/** Path of the CRD of Karmada. Links in the folders of the charts lead to the CRDs; Helm follows them when it loads a chart. */
export const crd = { source: 'crds/operator.karmada.io_karmadas.yaml' } as const;

/** Path of the alerts and of their copy in the chart, which adds its own metadata. */
export const alerts = {
  source: 'config/monitoring/prometheus-rule.yaml',
  copy: 'charts/karmada-operator/files/prometheus-rule.yaml',
} as const;

/** Dashboards of Grafana by file name, in config/monitoring and in the chart. */
const dashboards = {
  'grafana-fleet.json': FLEET,
  'grafana-control-plane.json': CONTROL_PLANE,
} as const;

/** Dashboard files by path: config/monitoring, and their copies in the chart. */
export async function dashboardFiles(): Promise<Record<string, string>> {
  const files = Object.entries(dashboards).map(async ([name, dashboard]) => {
    const text = await format(JSON.stringify(grafanaDashboard(dashboard)), { parser: 'json' });
    return [`config/monitoring/${name}`, `charts/karmada-operator/files/${name}`].map(
      (path) => [path, text] as const,
    );
  });
  return Object.fromEntries((await Promise.all(files)).flat());
}

async function renderChart(more: readonly string[] = []): Promise<string> {
  const { helm } = await ensureBinaries(['helm']);
  return run([
    helm,
    'template',
    '--skip-tests',
    release.name,
    join(checkout, 'charts/karmada-operator'),
    `--namespace=${release.namespace}`,
    `--kube-version=${kubernetesReleases.current}`,
    '--set=installCRDs=false',
    // These files name the image of a checkout, which their user replaces.
    '--set=operator.image.preloaded=true',
    ...more,
  ]);
}

/** Folders of plain YAML, with the values of the chart that differ from the defaults. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  'config/deploy': [],
  'config/watch-namespaces': [`--set=watchNamespaces={${WATCHED_NAMESPACE}}`],
};

const backups = Object.keys(backupCrds);
/** Names of all CRD files. */
export const crdFiles: readonly string[] = [basename(crd.source), ...backups].sort();

/** Links to the CRDs in the folders of the charts: target by path, both relative to the checkout. */
export const crdLinks: Readonly<Record<string, string>> = Object.fromEntries<string>([
  ['charts/karmada-operator/files/crd.yaml', crd.source],
  ...linksIn('charts/karmada-operator/files', backups),
  ...linksIn('charts/karmada-operator-crds/files', crdFiles),
]);

function linksIn(folder: string, names: readonly string[]): readonly [string, string][] {
  return names.map((name) => [`${folder}/${name}`, `crds/${name}`]);
}

/**
 * Renders the files that scripts/deploy.ts writes.
 * @returns path relative to the checkout to content
 */
export async function generated(): Promise<Record<string, string>> {
  const { singleQuote, printWidth } = (await resolveConfig(import.meta.filename)) ?? {};
  const files: Record<string, string> = {
    [alerts.copy]: await readFile(join(checkout, alerts.source), 'utf8'),
    ...(await dashboardFiles()),
  };
  files['crds/Kustomization'] = kustomization(crdFiles);
  for (const [folder, values] of Object.entries(FOLDERS)) {
    const manifests = deployFiles(await renderChart(values));
    files[`${folder}/Kustomization`] = kustomization(Object.keys(manifests));
    for (const [name, text] of Object.entries(manifests)) {
      files[`${folder}/${name}`] = await format(text, { parser: 'yaml', singleQuote, printWidth });
    }
  }
  return files;
}

/** Returns the paths in `files` whose file in the checkout is missing or has different content. */
export async function stale(files: Readonly<Record<string, string>>): Promise<string[]> {
  const found: string[] = [];
  for (const [path, content] of Object.entries(files)) {
    const current = await readFile(join(checkout, path), 'utf8').catch(() => undefined);
    if (current !== content) found.push(path);
  }
  return found;
}
