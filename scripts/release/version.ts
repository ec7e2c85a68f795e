/** The version of the project is in package.json. These functions keep all other places equal to it. */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { readPackage } from '../package-file.ts';

const VERSION = String.raw`\d+\.\d+\.\d+(?:-[0-9A-Za-z]+(?:\.[0-9A-Za-z]+)*)?`;

/** Returns the version in package.json. */
export async function packageVersion(): Promise<string> {
  return (await readPackage(checkout)).version;
}

/** Texts in front of the version, in a chart, the Dockerfile and the documents. */
const PLACES = [
  '^version: ',
  "^appVersion: '",
  'image\\.version="',
  'karmada-operator-ts:',
  'karmada-operator --version ',
];

/** Texts in front of the version in files that the charts generate. */
const GENERATED_PLACES = ['app\\.kubernetes\\.io/version: ', 'karmada-operator-ts:'];

const replaced = (text: string, places: readonly string[], version: string): string =>
  text.replaceAll(new RegExp(`(?<=${places.join('|')})${VERSION}`, 'gm'), () => version);

/** Returns a text with this version in all places that contain the version of the project. */
export const withVersion = (text: string, version: string): string =>
  replaced(text, PLACES, version);

/** Files with the version, and what is in front of it. */
const VERSIONED: readonly (readonly [path: RegExp, places: readonly string[]])[] = [
  [
    /^charts\/[^/]+\/Chart\.yaml$|^Dockerfile$|^README\.md$|^(?:docs|config|charts)\/.*\.md$/,
    PLACES,
  ],
  [/^config\/.*\.yaml$|__golden__\/.*\.yaml$/, GENERATED_PLACES],
  [/^package(?:-lock)?\.json$/, ['"karmada-operator-ts",\\s+"version": "']],
];

/**
 * Returns the content of a file without what a new version of the project changes in it: the version, and the whole
 * changelog.
 * @param path relative to the checkout
 */
export function withoutVersion(path: string, text: string): string {
  if (path === 'CHANGELOG.md') return '';
  const [, places] = VERSIONED.find(([pattern]) => pattern.test(path)) ?? [];
  return places === undefined ? text : replaced(text, places, 'VERSION');
}

/** Returns the files that contain the version, with the version of package.json: path to content. */
export async function versionedFiles(): Promise<Record<string, string>> {
  const version = await packageVersion();
  const patterns = [
    'charts/*/Chart.yaml',
    'Dockerfile',
    'README.md',
    '{docs,config,charts}/**/*.md',
  ];
  const paths = globSync(patterns, { cwd: checkout }).sort();
  const files = paths.map(async (path) => {
    const text = await readFile(join(checkout, path), 'utf8');
    return [path, withVersion(text, version)] as const;
  });
  return Object.fromEntries(await Promise.all(files));
}
