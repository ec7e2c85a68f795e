/** Size of the Secret in which Helm stores a release: at most 1 MiB, otherwise Helm installs nothing. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { crdFiles } from './generate.ts';

/** Files of a chart that Helm stores in other fields, in part parsed. Their text counts nevertheless. */
const TEMPLATES = /^templates\//;

async function filesOf(chart: string): Promise<readonly (readonly [string, Buffer])[]> {
  const folder = join(checkout, 'charts', chart);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const files = paths.map(async (path) => [relative(folder, path), await readFile(path)] as const);
  return Promise.all(files);
}

/** Content of the Secret: the release as JSON, with base64 of each file, in gzip, in base64. */
function releaseSize(files: readonly (readonly [string, Buffer])[], manifest: string): number {
  const parts = files.map(([name, content]) => ({ name, data: content.toString('base64') }));
  const chart = {
    templates: parts.filter(({ name }) => TEMPLATES.test(name)),
    files: parts.filter(({ name }) => !TEMPLATES.test(name)),
  };
  const json = JSON.stringify({ name: 'karmada-operator', chart, manifest });
  return gzipSync(json, { level: 9 }).toString('base64').length;
}

describe('release of the chart', () => {
  it.each(['karmada-operator', 'karmada-operator-crds'])(
    '%s has a Secret of at most 700 kB',
    async (chart) => {
      const crds = crdFiles.map((name) => readFile(join(checkout, 'crds', name), 'utf8'));
      const manifest = (await Promise.all(crds)).join('---\n');
      expect(releaseSize(await filesOf(chart), manifest)).toBeLessThanOrEqual(700_000);
    },
  );
});
