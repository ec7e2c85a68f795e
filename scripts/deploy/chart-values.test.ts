/** Values of the charts: values.yaml, their schema and the table in the README name the same values. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { checkout } from '../../tools/embedded-cluster/paths.ts';

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Values that are an object of Kubernetes: its fields are not values of the chart. */
const KUBERNETES =
  /^(operator\.(resources|strategy|podSecurityContext|securityContext|affinity|env|nodeSelector|tolerations)|metrics\.dashboards\.labels)\./;

const read = (chart: string, file: string): Promise<string> =>
  readFile(join(checkout, 'charts', chart, file), 'utf8');

/** Paths of all properties of a schema, such as `operator.image.tag`. */
function schemaPaths(schema: Schema, root = schema, prefix = ''): string[] {
  const [, name] = /^#\/\$defs\/(\w+)$/.exec(schema.$ref ?? '') ?? [];
  const { properties = {} } = name === undefined ? schema : (root.$defs?.[name] ?? {});
  return Object.entries(properties).flatMap(([key, one]) => {
    const path = `${prefix}${key}`;
    return [path, ...schemaPaths(one, root, `${path}.`)];
  });
}

/** Paths of all properties without a sentence that describes them, also of items of lists and of definitions. */
function undescribed(schema: Schema, prefix = ''): string[] {
  const parts = Object.entries(schema.properties ?? {}).flatMap(([key, one]) => [
    ...(/^[A-Z].*\.$/s.test(one.description ?? '') ? [] : [`${prefix}${key}`]),
    ...undescribed(one, `${prefix}${key}.`),
  ]);
  const others = [schema.items, ...(schema.anyOf ?? []), ...Object.values(schema.$defs ?? {})];
  return [
    ...parts,
    ...others.flatMap((one) => (one === undefined ? [] : undescribed(one, `${prefix}*.`))),
  ];
}

/** Paths of all keys of values, such as `operator.image.tag`. */
function valuePaths(values: unknown, prefix = ''): string[] {
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return [];
  return Object.entries(values).flatMap(([key, one]) => {
    const path = `${prefix}${key}`;
    return [path, ...valuePaths(one, `${path}.`)];
  });
}

/** Names in the first column of the table of values. A name with a leading dot belongs to the name before it. */
function tablePaths(readme: string): RegExp[] {
  const [, section = ''] = readme.split(/^## Values$/m);
  const cells = [...section.matchAll(/^\| (`[^|]*?) *\|/gm)].map(([, cell = '']) => cell);
  return cells.flatMap((cell) => {
    let parent = '';
    return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => {
      const path = name.startsWith('.') ? parent + name : name;
      parent = path.replace(/\.[^.]*$/, '');
      return new RegExp(`^${path.replaceAll('.', String.raw`\.`).replaceAll('*', '[a-z]*')}$`);
    });
  });
}

const isLeaf = (path: string, _: number, all: readonly string[]): boolean =>
  !all.some((other) => other.startsWith(`${path}.`));

describe.each(['karmada-operator', 'karmada-operator-crds'])('values of the chart %s', (chart) => {
  const ofChart = (paths: readonly string[]): string[] =>
    paths.filter((path) => !KUBERNETES.test(path) && path !== 'global').sort();
  const inSchema = async (): Promise<string[]> =>
    ofChart(schemaPaths(JSON.parse(await read(chart, 'values.schema.json')) as Schema));

  it('are the same in values.yaml and in the schema', async () => {
    const values = ofChart(valuePaths(load(await read(chart, 'values.yaml'))));
    expect(values.length).toBeGreaterThan(3);
    expect(values).toEqual(await inSchema());
  });

  it('have a description in the schema, which Artifact Hub and editors show', async () => {
    const schema = JSON.parse(await read(chart, 'values.schema.json')) as Schema;
    expect(undescribed(schema)).toEqual([]);
  });

  it('are all in the README, which contains no other value', async () => {
    const rows = tablePaths(await read(chart, 'README.md'));
    const paths = await inSchema();
    const leaves = paths.filter(isLeaf);
    expect(leaves.filter((path) => !rows.some((row) => row.test(path)))).toEqual([]);
    expect(rows.filter((row) => !paths.some((path) => row.test(path))).map(String)).toEqual([]);
  });
});
