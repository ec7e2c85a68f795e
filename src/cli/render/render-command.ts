/** Command `render`. */
import type { Command } from 'commander';
import type { Karmada } from '../../api/karmada.ts';
import type { CrdArchive } from '../../controlplane/crds.ts';
import { loadArchive } from '../program/crd-archive.ts';
import type { ConnectionFlags } from '../program/connect.ts';
import type { Environment } from '../program/environment.ts';
import { readInputFile } from '../program/input-file.ts';
import { parseKarmada, renderOffline } from '../render.ts';

interface Flags extends Pick<ConnectionFlags, 'namespace'> {
  readonly file: string;
  readonly defaultStorageClass: boolean;
  /** Path of `--crds`; false for `--no-crds`. */
  readonly crds?: string | false;
}

/** Adds the command `render`. */
export function addRender(program: Command, environment: Environment): void {
  program
    .command('render')
    .requiredOption('-f, --file <file>', 'file with one Karmada; - is the standard input')
    .option('--default-storage-class', 'assume a cluster with a default StorageClass', false)
    .option('--crds <file>', 'CRD archive to use instead of the one in spec.crdTarball')
    .option('--no-crds', 'omit the CRDs in the control plane; needs no archive')
    .action(async (_, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      const { file, defaultStorageClass, namespace } = flags;
      const karmada = parseKarmada(await readInputFile(environment, file), file, {
        placement: { required: namespace, fallback: 'default' },
        schema: (await environment.fieldSchemas()).Karmada,
      });
      const archive = await archiveFor(environment, karmada, flags);
      const templates = environment.templates();
      const text = renderOffline(karmada, { templates, archive, defaultStorageClass });
      environment.output.writeData(text);
    });
}

const NO_CRDS: CrdArchive = { crds: [], problems: [] };

const archiveFor = (
  environment: Environment,
  karmada: Karmada,
  { crds, defaultStorageClass }: Flags,
): Promise<CrdArchive> =>
  crds === false
    ? Promise.resolve(NO_CRDS)
    : loadArchive(environment, karmada, { defaultStorageClass, file: crds });
