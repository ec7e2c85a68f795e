// Prints every object that a Karmada would get, offline.
// Usage: npm run -s render -- -f KARMADA.yaml [--default-storage-class] [--crds crds.tar.gz]
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { parseKarmada, renderOffline } from '../src/cli/render.ts';
import { loadTemplates } from '../src/components/templates.ts';
import { localArchive } from './local-archive.ts';

// A reader that has seen enough (head, less) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

interface Flags {
  file: string;
  defaultStorageClass: boolean;
  crds?: string;
}

const command = new Command('npm run -s render --')
  .description(
    'Prints every object that a Karmada would get, offline; certificates as placeholders.',
  )
  .requiredOption('-f, --file <file>', 'file with one Karmada')
  .option('--default-storage-class', 'as in a cluster that has a default StorageClass', false)
  .option('--crds <file>', 'archive of CRDs, in the place of the one that spec.crdTarball names');

try {
  const { file, defaultStorageClass, crds } = command.parse().opts<Flags>();
  const karmada = parseKarmada(await readFile(file, 'utf8'), file);
  const archive = await localArchive(karmada, { defaultStorageClass }, crds);
  const templates = loadTemplates(join(import.meta.dirname, '../src/components'));
  process.stdout.write(renderOffline(karmada, { templates, archive, defaultStorageClass }));
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
