/**
 * npm scripts that no other suite starts. They run in a copy of the checkout. The long ones run only in a complete run.
 *
 * @size medium
 * @sample small
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { treeDigest } from '../../scripts/test/tree.ts';
import { attempt, run } from '../../tools/embedded-cluster/command.ts';
import { copyCheckout } from '../harness/checkout-copy.ts';
import { runsAll } from '../harness/sample.ts';

// The first run of a machine builds Helm.
jest.setTimeout(1_800_000);

let directory: string;
let copy: string;
let tree: string;

const started = { NODE_OPTIONS: '', INIT_CWD: undefined };
const npm = (command: string): Promise<string> =>
  run(command.split(' '), { cwd: copy, env: started });

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'commands-'));
  copy = join(directory, 'copy');
  await copyCheckout(copy);
  tree = await treeDigest(copy);
});

afterAll(() => rm(directory, { recursive: true, force: true }));

describe('generators', () => {
  const long = ['npm run format', 'npm run release-table -- v1.18.2'];
  const generators = ['npm run crd', 'npm run deploy', 'npm run docs', ...(runsAll ? long : [])];

  it.each(generators)('%s changes no file of this checkout', async (command) => {
    await npm(command);
    expect(await treeDigest(copy)).toBe(tree);
  });
});

describe('commands of the kubectl plugin from source', () => {
  it.each([
    ['npm run -s cli -- version --client', 'Plugin: '],
    ['npm run -s render -- -f samples/karmada.yaml', 'kind: StatefulSet'],
    ['npm run -s plan -- --help', 'Usage: kubectl karmada-operator plan'],
  ])('%s prints %s', async (command, expected) => {
    expect(await npm(command)).toContain(expected);
  });
});

describe('npm run fuzz', () => {
  it('reports each parser', async () => {
    const report = await npm('npm run -s fuzz -- --minutes 0.05 --parser PEM');
    expect(report).toMatch(/^seed \d+\nPEM: ok; \d+ inputs, \d+ % rejected; at most .* for one\n$/);
  });
});

describe('commands of tests', () => {
  it('npm run -s results -- tree prints the digest of the checkout', async () => {
    expect(await npm('npm run -s results -- tree')).toBe(`${tree}\n`);
  });

  it('npm run -s results -- merge names a file that does not exist', async () => {
    const { code, stderr } = await attempt('npm run -s results -- merge none.json'.split(' '), {
      cwd: copy,
      env: started,
    });
    expect([code, stderr]).toEqual([1, 'error: none.json: no such file\n']);
  });

  it.each([
    ['npm run -s test:unit -- scripts/test/counts', /^[1-9]\d* passed, 0 failed, 0 skipped\n$/m],
    ['npm run -s test:integration -- none', /^0 passed, 0 failed, 0 skipped\n$/m],
    ['npm run -s test:e2e -- none', /^0 passed, 0 failed, 0 skipped\n$/m],
  ])('%s runs the selected suites', async (command, expected) => {
    expect(await npm(command)).toMatch(expected);
  });
});

(runsAll ? describe : describe.skip)('builds', () => {
  it('npm run plugin writes the plugin', async () => {
    await npm('npm run plugin -- dist/plugin');
    expect(existsSync(join(copy, 'dist/plugin/npm/package.json'))).toBe(true);
  });

  it('npm run image writes an archive', async () => {
    await npm('npm run image -- dist/operator.tar');
    expect((await stat(join(copy, 'dist/operator.tar'))).size).toBeGreaterThan(10_000_000);
  });
});
