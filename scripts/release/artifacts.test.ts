import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { load, loadAll } from 'js-yaml';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { imageRepository } from '../image/operator.ts';
import { chartValues, joinManifests, splitRepository } from './artifacts.ts';

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

it('joinManifests keeps all objects and their order', () => {
  const texts = ['# a\nkind: A\n', '---\nkind: B\n---\nkind: C\n', '# d\n---\nkind: D\n'];
  const objects = loadAll(joinManifests(texts)).filter((one) => one !== null);
  expect(objects).toEqual(['A', 'B', 'C', 'D'].map((kind) => ({ kind })));
});
