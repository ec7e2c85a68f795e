// Prints every object that the operator would create for a Karmada, without a cluster.
// Usage: npm run -s render -- -f KARMADA.yaml [--default-storage-class] [--crds crds.tar.gz]
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { parseKarmada, renderOffline } from '../src/cli/render.ts';
import { loadTemplates } from '../src/components/templates.ts';
import { localArchive } from './local-archive.ts';

// A reader that closes the pipe early (head, less) is not an error.
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
    'Print every object that the operator would create for a Karmada, without a cluster; certificates are placeholders.',
  )
  .requiredOption('-f, --file <file>', 'file with one Karmada')
  .option('--default-storage-class', 'assume a cluster with a default StorageClass', false)
  .option('--crds <file>', 'CRD archive to use instead of the one in spec.crdTarball');

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
