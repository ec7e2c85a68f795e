// Tells what applying a Karmada would do to a cluster, without doing it.
// Usage: npm run -s plan -- -f KARMADA.yaml [--kubeconfig FILE] [--crds crds.tar.gz]
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { plan } from '../src/cli/plan.ts';
import { parseKarmada } from '../src/cli/render.ts';
import { loadTemplates } from '../src/components/templates.ts';
import { createClient } from '../src/kubernetes/client.ts';
import { systemClock } from '../src/kubernetes/clock.ts';
import { kubeConfigFileEndpoint } from '../src/kubernetes/kubeconfig.ts';
import { PLATFORM_KEYS } from '../src/pki/keys.ts';
import type { Karmada } from '../src/api/karmada.ts';
import type { CrdArchive } from '../src/controlplane/crds.ts';
import { karmadas } from '../src/reconcile/host.ts';
import { localArchive } from './local-archive.ts';

interface Flags {
  file: string;
  kubeconfig: string;
  crds?: string;
}

const command = new Command('npm run -s plan --')
  .description(
    'Tells what applying a Karmada would do: changes, restarts, their order, what is held.',
  )
  .requiredOption('-f, --file <file>', 'file with one Karmada')
  .option(
    '--kubeconfig <file>',
    'the cluster that holds the Karmada',
    process.env['KUBECONFIG'] ?? join(homedir(), '.kube/config'),
  )
  .option('--crds <file>', 'archive of CRDs, in the place of the one that spec.crdTarball names');

const { file, kubeconfig, crds } = command.parse().opts<Flags>();
const caller = process.env['INIT_CWD'] ?? process.cwd();

/** The Karmada has its defaults by now, so that it does not matter what the host has. */
const archiveOf = (karmada: Karmada): Promise<CrdArchive> =>
  localArchive(
    karmada,
    { defaultStorageClass: false },
    crds === undefined ? undefined : resolve(caller, crds),
  );

async function main(): Promise<void> {
  const karmada = parseKarmada(await readFile(resolve(caller, file), 'utf8'));
  const endpoint = kubeConfigFileEndpoint(resolve(caller, kubeconfig));
  const client = createClient(endpoint, { resources: [karmadas], userAgent: 'karmada-plan' });
  const templates = loadTemplates(join(import.meta.dirname, '../src/components'));
  try {
    const tools = { client, templates, clock: systemClock, keys: PLATFORM_KEYS, archiveOf };
    process.stdout.write(await plan(tools, karmada));
  } finally {
    await client.close();
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
