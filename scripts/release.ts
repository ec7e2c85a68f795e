/** Builds a release: `npm run release [-- --dry-run]`; see docs/contribute/release.md. */
import { existsSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { checkout } from '../tools/embedded-cluster/paths.ts';
import { createProgress } from '../tools/embedded-cluster/progress.ts';
import { imageRepository } from './image/operator.ts';
import { splitRepository } from './release/artifacts.ts';
import { buildRelease, CHECKSUMS } from './release/build.ts';
import { commitOf, sourceState } from './release/checkout-state.ts';
import { containerRefusals } from './release/containers.ts';
import { downloadsOf } from './release/krew-manifest.ts';
import { lockedPackages } from './release/lock-file.ts';
import { nodeRefusals, type PlatformNode } from './release/node-advisories.ts';
import { PLATFORMS } from './release/platforms.ts';
import { LOCAL_BUILDER } from './release/provenance.ts';
import { publisherFiles } from './release/publisher-files.ts';
import {
  publisherRefusals,
  resultRefusals,
  shortened,
  sourceRefusals,
} from './release/refusals.ts';
import { packageVersion } from './release/version.ts';
import { readResults, resultsFile } from './test/results-file.ts';
import { expectedSuites } from './test/stages.ts';
import { treeDigest } from './test/tree.ts';

const { values } = parseArgs({
  options: {
    /** Builds in any case, and only reports what would prevent a release. */
    'dry-run': { type: 'boolean', default: false },
    /** Repository of the image in the chart and in the YAML files. */
    repository: { type: 'string', default: imageRepository },
    directory: { type: 'string' },
    /** URL of the source repository, for the provenance. */
    source: { type: 'string' },
    /** URL of the folder with the published files, for krew; that of the GitHub release of the source by default. */
    'download-url': { type: 'string' },
    /** URI of the system that builds the release, for the provenance. */
    builder: { type: 'string', default: LOCAL_BUILDER },
    /** Image with digest of the container that builds the release, for the provenance. */
    container: { type: 'string' },
    /** Results of the tests; those of `npm run test:all` and of the jobs in this checkout by default. */
    results: { type: 'string' },
  },
});

const out = createProgress(process.stdout);

/** npm runs scripts in the project folder. Paths are relative to the folder of the user. */
const userPath = (path: string): string => resolve(process.env['INIT_CWD'] ?? process.cwd(), path);

/** Returns the locked Node.js of all platforms. */
async function lockedNodes(): Promise<PlatformNode[]> {
  const packages = await lockedPackages(checkout);
  return PLATFORMS.map(({ architecture, nodePackage }) => {
    const { version } = packages[`node_modules/${nodePackage}`] ?? {};
    if (version === undefined) throw new Error(`package-lock.json: no ${nodePackage}`);
    return { architecture, nodePackage, version };
  });
}

/** Returns the reasons against a release. */
async function refusals(version: string): Promise<string[]> {
  const tree = await treeDigest(checkout);
  const file =
    values.results === undefined ? resultsFile(checkout, tree) : userPath(values.results);
  const expected = expectedSuites(checkout);
  return [
    ...sourceRefusals(await sourceState(checkout, version)),
    ...publisherRefusals(await publisherFiles(checkout)),
    ...nodeRefusals(await lockedNodes()),
    ...containerRefusals(values.container),
    ...resultRefusals(readResults(file), { tree, expected }),
  ];
}

/** Replaces an earlier release in the folder, but no other files. */
async function publishFolder(built: string, directory: string): Promise<void> {
  const content = existsSync(directory) ? await readdir(directory) : [];
  if (content.length > 0 && !content.includes(CHECKSUMS))
    throw new Error(`${directory} contains other files: use an empty folder`);
  await rm(directory, { recursive: true, force: true });
  await rename(built, directory);
}

async function main(): Promise<void> {
  const version = await packageVersion();
  splitRepository(values.repository);
  const against = await out.step('checks', () => refusals(version));
  if (against.length > 0 && !values['dry-run'])
    throw new Error(`version ${version} cannot be released:\n- ${against.join('\n- ')}`);
  for (const line of shortened(against, 10)) out.note(`a release would be refused: ${line}`);
  const named = values.directory ?? join(checkout, 'dist/release', version);
  const directory = userPath(named);
  const partial = `${directory}.partial`;
  const { commit, time } = await commitOf(checkout);
  const { repository, source, builder, container } = values;
  const downloads = downloadsOf(values['download-url'], { source, version });
  const order = { version, repository, commit, time, source, downloads, builder, container };
  await rm(partial, { recursive: true, force: true });
  const digest = await buildRelease(partial, order, out);
  await publishFolder(partial, directory);
  if (downloads === undefined)
    out.note(
      'no manifest for krew: it needs the address of the files (--source or --download-url)',
    );
  out.note(`image ${repository}:${version}@${digest}`);
  out.note(`release ${version} of commit ${commit.slice(0, 12)} in ${directory}`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
