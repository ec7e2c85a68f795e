import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { load, loadAll } from 'js-yaml';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { alerts, crdLinks, stale } from './generate.ts';
import { deployFiles } from './manifests.ts';

const templates = [
  'serviceaccount.yaml',
  'clusterrole.yaml',
  'clusterrolebinding.yaml',
  'role.yaml',
  'rolebinding.yaml',
  'deployment.yaml',
];

/** Returns the output of `helm template` for templates with one label each. */
function rendering(names: readonly string[]): string {
  const document = (name: string): string =>
    [
      '---',
      `# Source: karmada-operator/templates/${name}`,
      'metadata:',
      `  name: ${name}`,
      '  labels:',
      '    app: karmada-operator',
      '    app.kubernetes.io/managed-by: Helm',
      '    helm.sh/chart: karmada-operator-0.1.0',
      'data: |',
      '  managed-by: Helm',
      '',
    ].join('\n');
  return names.map(document).join('');
}

describe('deployFiles', () => {
  const files = deployFiles(rendering(templates));

  it('sorts the documents by their dependencies', () => {
    expect(Object.keys(files)).toEqual(['1-namespace.yaml', '2-rights.yaml', '3-operator.yaml']);
    const names = loadAll(files['2-rights.yaml'] ?? '').map(
      (object) => (object as { metadata: { name: string } }).metadata.name,
    );
    expect(names).toEqual(templates.slice(0, 5));
  });

  it('removes only the labels that mark an object as managed by Helm', () => {
    expect(load(files['3-operator.yaml'] ?? '')).toEqual({
      metadata: { name: 'deployment.yaml', labels: { app: 'karmada-operator' } },
      data: 'managed-by: Helm\n',
    });
  });

  it('keeps all documents when a template renders several', () => {
    const twice = deployFiles(rendering([...templates, 'role.yaml']));
    const roles = (twice['2-rights.yaml'] ?? '').match(/^ *name: role\.yaml$/gm);
    expect(roles).toHaveLength(2);
  });

  it('throws an error that names a template that is missing or has no file', () => {
    expect(() => deployFiles(rendering(templates.slice(1)))).toThrow('no serviceaccount.yaml');
    expect(() => deployFiles(rendering([...templates, 'service.yaml']))).toThrow('service.yaml');
  });
});

describe('copied files', () => {
  it('has the same alerts in the chart as in their source', async () => {
    const { source, copy } = alerts;
    const old = await stale({ [copy]: await readFile(join(checkout, source), 'utf8') });
    expect(old.map((path) => `${path}: run node scripts/run.mjs scripts/deploy.ts`)).toEqual([]);
  });

  it('reports a missing file as stale', async () => {
    expect(await stale({ 'config/deploy/none.yaml': '' })).toEqual(['config/deploy/none.yaml']);
  });

  it('has the same version in the chart, appVersion and package.json', async () => {
    const manifest = await readFile(join(checkout, 'package.json'), 'utf8');
    const { version } = JSON.parse(manifest) as { version: string };
    const text = await readFile(join(checkout, 'charts/karmada-operator/Chart.yaml'), 'utf8');
    expect(load(text)).toMatchObject({ version, appVersion: version });
  });
});

describe('CRDs in the charts', () => {
  it.each(Object.entries(crdLinks))('%s is a link to %s', async (path, target) => {
    expect(await realpath(join(checkout, path))).toBe(await realpath(join(checkout, target)));
  });
});
