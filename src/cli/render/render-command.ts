/** Command `render`. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { loadArchive } from '../program/crd-archive.ts';
import type { Environment } from '../program/environment.ts';
import { parseKarmada, renderOffline } from '../render.ts';

interface Flags {
  readonly file: string;
  readonly defaultStorageClass: boolean;
  readonly crds?: string;
}

/** Adds the command `render`. */
export function addRender(program: Command, environment: Environment): void {
  program
    .command('render')
    .requiredOption('-f, --file <file>', 'file with one Karmada')
    .option('--default-storage-class', 'assume a cluster with a default StorageClass', false)
    .option('--crds <file>', 'CRD archive to use instead of the one in spec.crdTarball')
    .action(async ({ file, defaultStorageClass, crds }: Flags) => {
      const path = resolve(environment.workingDirectory, file);
      const karmada = parseKarmada(await readFile(path, 'utf8'), file);
      const facts = { defaultStorageClass, file: crds };
      const archive = await loadArchive(environment, karmada, facts);
      const templates = environment.templates();
      const text = renderOffline(karmada, { templates, archive, defaultStorageClass });
      environment.output.write(text);
    });
}
