/** Metadata of the charts, which Artifact Hub and `helm search` show. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { checkout } from '../../tools/embedded-cluster/paths.ts';

interface Chart {
  readonly icon: string;
  readonly home: string;
  readonly sources: readonly string[];
  readonly maintainers: readonly { readonly name: string; readonly email?: string }[];
  readonly annotations: Readonly<Record<string, string>>;
}

interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string }[];
  };
}

const read = async <T>(path: string): Promise<T> =>
  load(await readFile(join(checkout, path), 'utf8')) as T;

/** Kind, version and name of each CRD in crds/, as the annotation has them. */
async function crds(): Promise<object[]> {
  const files = (await readdir(join(checkout, 'crds'))).filter((name) => name.endsWith('.yaml'));
  const all = await Promise.all(files.map((name) => read<Crd>(join('crds', name))));
  return all.map(({ metadata, spec }) =>
    expect.objectContaining({
      kind: spec.names.kind,
      version: spec.versions[0]?.name,
      name: metadata.name,
      description: expect.any(String),
    }),
  ) as object[];
}

describe.each(['karmada-operator', 'karmada-operator-crds'])('metadata of the chart %s', (name) => {
  const chart = read<Chart>(`charts/${name}/Chart.yaml`);

  it('has an icon, a source repository and maintainers', async () => {
    const { icon, home, sources, maintainers } = await chart;
    for (const url of [icon, home, ...sources]) expect(url).toMatch(/^https:\/\/\S+$/);
    expect(maintainers).toContainEqual({
      name: expect.any(String),
      email: expect.stringContaining('@'),
    });
  });

  it('describes all CRDs to Artifact Hub', async () => {
    const { annotations } = await chart;
    const listed = load(annotations['artifacthub.io/crds'] ?? '') as object[];
    const expected = await crds();
    expect(listed).toHaveLength(expected.length);
    expect(listed).toEqual(expect.arrayContaining(expected));
    expect(annotations['artifacthub.io/license']).toBe('Apache-2.0');
  });
});

it('the example of a Karmada object has only fields of all objects', async () => {
  const { annotations } = await read<Chart>('charts/karmada-operator/Chart.yaml');
  const [example] = load(annotations['artifacthub.io/crdsExamples'] ?? '') as object[];
  expect(example).toEqual({
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata: { name: 'karmada-demo', namespace: 'karmada-demo' },
  });
});
