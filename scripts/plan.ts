// Tells what applying a Karmada would do to a cluster, without doing it.
// Usage: npm run -s plan -- -f KARMADA.yaml [--kubeconfig FILE] [--crds crds.tar.gz]
//        npm run -s plan -- NAME -n NAMESPACE --patch '{"spec":{"version":"v1.17.1"}}'
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { CROSS_NAMESPACE_SECRETS, type CrossNamespaceSecrets } from '../src/api/secret-grant.ts';
import { isObject } from '../src/api/fill.ts';
import { plan, type Wanted } from '../src/cli/plan.ts';
import { parseKarmada } from '../src/cli/render.ts';
import { loadTemplates } from '../src/components/templates.ts';
import { createClient } from '../src/kubernetes/client.ts';
import { systemClock } from '../src/kubernetes/clock.ts';
import { explicitEndpoint, type ExplicitAccess } from '../src/kubernetes/connection.ts';
import type { KubernetesClient } from '../src/kubernetes/contract.ts';
import { kubeConfigFileEndpoint } from '../src/kubernetes/kubeconfig.ts';
import { PLATFORM_KEYS } from '../src/pki/keys.ts';
import type { Karmada } from '../src/api/karmada.ts';
import type { CrdArchive } from '../src/controlplane/crds.ts';
import { karmadas } from '../src/hosts/host.ts';
import { createSecretPolicy } from '../src/api/secret-policy.ts';
import { localArchive } from './local-archive.ts';

interface Flags {
  file?: string;
  namespace: string;
  patch?: string;
  kubeconfig: string;
  crds?: string;
  crossNamespaceSecrets: CrossNamespaceSecrets;
}

const command = new Command('npm run -s plan --')
  .description(
    'Tells what applying a Karmada would do: changes, restarts, their order, what is held.',
  )
  .argument('[name]', 'the Karmada that --patch changes')
  .option('-f, --file <file>', 'file with one Karmada, as kubectl apply takes it')
  .option('-n, --namespace <namespace>', 'where the Karmada is that --patch changes', 'default')
  .option('--patch <json>', 'a change, as kubectl patch --type=merge takes it')
  .option(
    '--kubeconfig <file>',
    'the cluster that holds the Karmada',
    process.env['KUBECONFIG'] ?? join(homedir(), '.kube/config'),
  )
  .addOption(
    new Option('--cross-namespace-secrets <mode>', 'as the operator is started with')
      .choices(CROSS_NAMESPACE_SECRETS)
      .default('Granted'),
  )
  .option('--crds <file>', 'archive of CRDs, in the place of the one that spec.crdTarball names');

const { file, namespace, patch, kubeconfig, crds, crossNamespaceSecrets } = command
  .parse()
  .opts<Flags>();
const [name] = command.args;
const caller = process.env['INIT_CWD'] ?? process.cwd();

/** The Karmada has its defaults by now, so that it does not matter what the host has. */
const archiveOf = (karmada: Karmada): Promise<CrdArchive> =>
  localArchive(
    karmada,
    { defaultStorageClass: false },
    crds === undefined ? undefined : resolve(caller, crds),
  );

const connect = (access: ExplicitAccess): KubernetesClient =>
  createClient(explicitEndpoint(access), { userAgent: 'karmada-plan' });

async function wanted(): Promise<Wanted> {
  if (file !== undefined && name === undefined && patch === undefined)
    return { given: parseKarmada(await readFile(resolve(caller, file), 'utf8'), file) };
  if (file === undefined && name !== undefined && patch !== undefined)
    return { name, namespace, patch: parsePatch(patch) };
  throw new Error('give either -f FILE, or the name of a Karmada and --patch');
}

function parsePatch(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isObject(parsed)) return parsed;
  } catch {
    // Said below.
  }
  throw new Error('--patch is no JSON object, such as {"spec":{"version":"v1.17.1"}}');
}

async function main(): Promise<void> {
  const request = await wanted();
  const endpoint = kubeConfigFileEndpoint(resolve(caller, kubeconfig));
  const client = createClient(endpoint, { resources: [karmadas], userAgent: 'karmada-plan' });
  const templates = loadTemplates(join(import.meta.dirname, '../src/components'));
  try {
    const given = { client, connect, templates, archiveOf };
    const secretPolicy = createSecretPolicy(crossNamespaceSecrets, () => []);
    const tools = { ...given, secretPolicy, clock: systemClock, keys: PLATFORM_KEYS };
    process.stdout.write(await plan(tools, request));
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
