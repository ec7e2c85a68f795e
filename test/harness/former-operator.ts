import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { OperatorImage } from '../../scripts/image/operator.ts';
import { attempt, run } from '../../tools/embedded-cluster/command.ts';
import { Failure } from '../../tools/embedded-cluster/failure.ts';
import { lock } from '../../tools/embedded-cluster/lock.ts';
import { cacheDirectory, checkout, digest } from '../../tools/embedded-cluster/paths.ts';
import { chartFolder } from '../demo/install.ts';
import type { OperatorBuild } from './operator.ts';

/** Last commit whose operator neither records the etcd cluster ID nor seals etcd. */
export const BEFORE_RECORDS = '80505ce1d10679a22833a41141087abac6e4eb0b';

/** A commit whose operator gives all components certificates in the group `system:masters`. */
export const WITH_MASTERS = '7c8ffc356adcef5d8eb3073957853b70601e7ca7';

/** Operator build of an earlier commit. */
export interface FormerOperator extends OperatorBuild {
  /** Folder with the files of that commit. */
  readonly root: string;
}

/**
 * Builds the operator of an earlier commit with the scripts and the packages of that commit. The result is
 * cached.
 * @throws Failure if the checkout does not contain the commit
 */
export async function formerOperator(commit: string): Promise<FormerOperator> {
  const root = join(cacheDirectory(), 'operators', commit);
  const held = await lock(`operator:${commit}`, () => undefined);
  try {
    if (!existsSync(root)) await exportCommit(checkout, commit, root);
    return { root, image: await builtImage(root), chart: join(root, chartFolder) };
  } finally {
    held.release();
  }
}

/**
 * Writes all files of a commit to a new folder.
 * @throws Failure if the repository does not contain the commit
 */
export async function exportCommit(
  repository: string,
  commit: string,
  folder: string,
): Promise<void> {
  const known = ['git', 'cat-file', '-e', `${commit}^{commit}`];
  if ((await attempt(known, { cwd: repository })).code !== 0)
    throw new Failure(
      `commit ${commit} is not in this checkout, and the operator of that commit is part of the tests`,
      'git fetch --unshallow',
    );
  await mkdir(dirname(folder), { recursive: true });
  const temporary = await mkdtemp(`${folder}.`);
  try {
    const files = join(temporary, 'files');
    // A separate index keeps the index of the checkout unchanged.
    const options = { cwd: repository, env: { GIT_INDEX_FILE: join(temporary, 'index') } };
    await run(['git', 'read-tree', commit], options);
    await run(['git', 'checkout-index', '--all', `--prefix=${files}/`], options);
    await rename(files, folder);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

const WRITE_IMAGE =
  "import { writeOperatorImage } from './scripts/image/operator.ts';" +
  'process.stdout.write(JSON.stringify(await writeOperatorImage()));';

/** Builds the image. A cache file named by the inputs of the build stores the image reference. */
async function builtImage(root: string): Promise<OperatorImage> {
  const packages = await readFile(join(root, 'package-lock.json'));
  const note = `${root}.${digest(process.version, packages)}.json`;
  if (existsSync(note)) {
    const image = JSON.parse(await readFile(note, 'utf8')) as OperatorImage;
    if (existsSync(image.file)) return image;
  }
  await mkdir(join(cacheDirectory(), 'images'), { recursive: true });
  await run(['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: root });
  try {
    const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module'];
    const built = await run([process.execPath, ...flags, '--eval', WRITE_IMAGE], { cwd: root });
    await writeFile(note, built);
    return JSON.parse(built) as OperatorImage;
  } finally {
    await rm(join(root, 'node_modules'), { recursive: true, force: true });
  }
}
