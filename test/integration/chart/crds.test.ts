/** The chart of the CRDs, and the kustomizations. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { V1Deployment } from '@kubernetes/client-node';
import { load, loadAll } from 'js-yaml';
import { crdFiles } from '../../../scripts/deploy/generate.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { ensureBinaries } from '../../../tools/embedded-cluster/binaries.ts';
import { run } from '../../../tools/embedded-cluster/command.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import { crdChart, helm, only, render, renderChart, type Rendering } from './chart.ts';

const byName = (one: KubernetesObject, other: KubernetesObject): number =>
  `${one.kind} ${one.metadata.name}`.localeCompare(`${other.kind} ${other.metadata.name}`);

/** Objects of YAML files, sorted. */
async function objectsOf(folder: string, files: readonly string[]): Promise<KubernetesObject[]> {
  const texts = files.map((file) => readFile(join(checkout, folder, file), 'utf8'));
  return (await Promise.all(texts))
    .flatMap((text) => loadAll(text) as KubernetesObject[])
    .sort(byName);
}

const crds = (): Promise<KubernetesObject[]> => objectsOf('crds', crdFiles);

describe('chart karmada-operator-crds', () => {
  let rendering: Rendering;
  beforeAll(async () => {
    rendering = await renderChart(crdChart);
  });

  it('passes helm lint in strict mode', async () => {
    const result = await helm(['lint', '--strict', crdChart]);
    expect({ code: result.code, said: result.code === 0 ? '' : result.stdout }).toEqual({
      code: 0,
      said: '',
    });
  });

  it('contains the CRDs of crds/ and nothing else, and keeps them on uninstall', async () => {
    const { error, objects } = rendering;
    expect(error).toBe('');
    const specs = (of: readonly KubernetesObject[]): unknown =>
      [...of]
        .sort(byName)
        .map(({ kind, metadata: { name }, ...rest }) => [kind, name, rest['spec']]);
    expect(objects).toHaveLength(5);
    expect(specs(objects)).toEqual(specs(await crds()));
    for (const { metadata } of objects) {
      expect(metadata.annotations).toMatchObject({ 'helm.sh/resource-policy': 'keep' });
      expect(metadata.labels).toMatchObject({
        'app.kubernetes.io/managed-by': 'Helm',
        'app.kubernetes.io/name': 'karmada-operator-crds',
      });
    }
  });

  it('contains the CRDs that the chart karmada-operator omits when installCRDs is false', async () => {
    const kinds = ({ objects }: Rendering): string[] =>
      objects.map(({ kind, metadata: { name } }) => `${kind} ${name}`).sort();
    const [all, without] = await Promise.all([render(), render(['--set=installCRDs=false'])]);
    expect([...kinds(rendering), ...kinds(without)].sort()).toEqual(kinds(all));
  });

  it('deletes the CRDs on uninstall when crds.keep is false, and sets labels and annotations', async () => {
    const { objects } = await renderChart(crdChart, [
      '--set=crds.keep=false',
      '--set=commonLabels.team=platform,commonAnnotations.note=x',
    ]);
    expect(objects).toHaveLength(5);
    for (const { metadata } of objects) {
      expect(metadata.annotations).not.toHaveProperty(['helm.sh/resource-policy']);
      expect(metadata.annotations).toMatchObject({ note: 'x' });
      expect(metadata.labels).toMatchObject({ team: 'platform' });
    }
  });

  it('rejects unknown values', async () => {
    const { error } = await renderChart(crdChart, ['--set=crds.install=true']);
    expect(error).toContain("'/crds': additional properties 'install' not allowed");
  });
});

/** Objects that `kubectl kustomize` prints, sorted. */
async function kustomized(folder: string): Promise<KubernetesObject[]> {
  const { kubernetes } = await ensureBinaries(['kubernetes']);
  const text = await run([kubernetes, 'kubectl', 'kustomize', folder]);
  return (loadAll(text) as KubernetesObject[]).sort(byName);
}

describe('kustomizations', () => {
  it('contain the CRDs of crds/', async () => {
    expect(await kustomized(join(checkout, 'crds'))).toEqual(await crds());
  });

  it('contain the objects of config/deploy', async () => {
    const files = ['1-namespace.yaml', '2-rights.yaml', '3-operator.yaml'];
    const found = await kustomized(join(checkout, 'config/deploy'));
    expect(found).toEqual(await objectsOf('config/deploy', files));
  });

  it('set the image of the operator and of backups with the overlay of the README', async () => {
    const readme = await readFile(join(checkout, 'config/deploy/README.md'), 'utf8');
    const [, block = ''] = /^```yaml\n([\s\S]*?)^```$/m.exec(readme) ?? [];
    const folder = await mkdtemp(join(tmpdir(), 'overlay-'));
    try {
      const overlay = load(block) as { resources: readonly string[] };
      expect(overlay.resources).toEqual(['../crds', '../config/deploy']);
      const resources = overlay.resources.map((path) =>
        relative(folder, join(checkout, path.slice(3))),
      );
      const text = JSON.stringify({ ...overlay, resources });
      await writeFile(join(folder, 'kustomization.yaml'), text);
      const objects = await kustomized(folder);
      const [container] =
        only<V1Deployment>(objects, 'Deployment').spec?.template.spec?.containers ?? [];
      const image = 'registry.example.com/karmada-operator-ts:0.1.0';
      expect(container?.image).toBe(image);
      expect(container?.args).toContain(`--backup-image=${image}`);
      expect(JSON.stringify(objects)).not.toContain('localhost/');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
