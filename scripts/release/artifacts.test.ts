import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { load, loadAll } from 'js-yaml';
import { run } from '../../tools/embedded-cluster/command.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { imageRepository } from '../image/operator.ts';
import { chartValues, joinManifests, splitRepository, writeCharts } from './artifacts.ts';

describe('splitRepository', () => {
  it.each([
    ['localhost/karmada-operator-ts', 'localhost', 'karmada-operator-ts'],
    ['registry.example.com/team/op', 'registry.example.com', 'team/op'],
    ['registry.example.com:5000/op', 'registry.example.com:5000', 'op'],
  ])('splits %s', (repository, registry, name) => {
    expect(splitRepository(repository)).toEqual({ registry, name });
  });

  it.each(
    [
      ['', 'op', 'r.example/Team/op', 'r.example/op:1.0.0', 'r.example/op@sha256:0', 'r.example/'],
      ['r.example/op\nkey: value', 'r.example/op #', 'https://r.example/op', 'r.example/../op '],
    ].flat(),
  )('rejects %j', (repository) => {
    expect(() => splitRepository(repository)).toThrow('write REGISTRY/OWNER/NAME');
  });
});

describe('chartValues', () => {
  const values = readFile(join(checkout, 'charts/karmada-operator/values.yaml'), 'utf8');

  it('sets registry and repository of the image, and nothing else', async () => {
    const text = chartValues(await values, 'r.example:5000/team/op');
    const before = load(await values) as { operator: { image: object } };
    const image = { ...before.operator.image, registry: 'r.example:5000', repository: 'team/op' };
    expect(load(text)).toEqual({ ...before, operator: { ...before.operator, image } });
  });

  it('keeps every byte for the default repository', async () => {
    expect(chartValues(await values, imageRepository)).toBe(await values);
  });

  it('fails when the values have no default repository', () => {
    expect(() => chartValues('operator: {}\n', 'r.example/op')).toThrow('expected once');
  });
});

it('writeCharts writes the CRDs, to which the charts link', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'karmada-test-'));
  const identity = { version: '1.2.3', repository: imageRepository, commit: '', time: new Date(0) };
  await writeCharts(checkout, directory, identity);
  const contents = await Promise.all(
    (await readdir(directory)).map((name) => run(['tar', '-xzOf', join(directory, name)])),
  );
  await rm(directory, { recursive: true });
  expect(contents).toHaveLength(2);
  for (const kind of ['Karmada', 'KarmadaBackup', 'KarmadaBackupStore', 'KarmadaRestore'])
    expect(contents.every((text) => text.includes(`\n    kind: ${kind}\n`))).toBe(true);
});

it('joinManifests keeps all objects and their order', () => {
  const texts = ['# a\nkind: A\n', '---\nkind: B\n---\nkind: C\n', '# d\n---\nkind: D\n'];
  const objects = loadAll(joinManifests(texts)).filter((one) => one !== null);
  expect(objects).toEqual(['A', 'B', 'C', 'D'].map((kind) => ({ kind })));
});
