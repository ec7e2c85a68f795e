/** The operator as its image has it: bundle, flags, environment and CRD archives, in a temporary folder. */
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bundleOperator } from '../../../scripts/image/bundle.ts';
import { archiveFolder, archiveUrl } from '../../../scripts/image/crds.ts';
import { crdArchive } from '../../../scripts/image/karmada-module.ts';
import { containerSettings, dataDirectory } from '../../../scripts/image/operator.ts';
import { packageVersion } from '../../../scripts/release/version.ts';
import { RELEASES } from '../../../src/api/releases/releases.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';

/** A build of the operator of this checkout. */
export interface OperatorBuild {
  /** Folder with the program. */
  readonly program: string;
  /** Arguments of Node.js, with the program at their end. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Folder with the files that a container has at the paths of `dataDirectory`. */
  readonly data: string;
  remove(): Promise<void>;
}

/** Bundles the operator. Do it once for all processes of a test file. */
export async function buildOperator(): Promise<OperatorBuild> {
  const folder = await mkdtemp(join(tmpdir(), 'stub-operator-'));
  const program = join(folder, 'program');
  await bundleOperator(checkout, program, await packageVersion());
  const data = join(folder, 'data');
  for (const { release } of RELEASES) {
    const file = join(data, archiveFolder(archiveUrl(release)), 'crds.tar.gz');
    await mkdir(dirname(file), { recursive: true });
    await symlink(await crdArchive(release), file);
  }
  const flags = containerSettings.entrypoint.slice(1, -1);
  return {
    program,
    command: [...flags, join(program, 'operator.mjs')],
    environment: {
      ...containerSettings.environment,
      // Compiled code of the first process, for all others.
      NODE_COMPILE_CACHE: join(folder, 'compile-cache'),
    },
    data,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

export { dataDirectory };
