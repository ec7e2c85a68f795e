// Shows what applying a Karmada would change in a cluster, without changing it.
// Usage: npm run -s plan -- -f KARMADA.yaml [--kubeconfig FILE] [--crds crds.tar.gz]
//        npm run -s plan -- NAME -n NAMESPACE --patch '{"spec":{"version":"v1.17.1"}}'
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { CROSS_NAMESPACE_SECRETS, type CrossNamespaceSecrets } from '../src/api/secret-grant.ts';
import { isObject } from '../src/api/fill.ts';
import { plan, type PlanRequest } from '../src/cli/plan.ts';
import { parseKarmada } from '../src/cli/render.ts';
import { loadTemplates } from '../src/components/templates.ts';
import { createClient } from '../src/kubernetes/client.ts';
import { systemClock } from '../src/kubernetes/clock.ts';
import { explicitEndpoint, type ExplicitAccess } from '../src/kubernetes/connection.ts';
import type { KubernetesClient } from '../src/kubernetes/client-interface.ts';
import { kubeConfigFileEndpoint } from '../src/kubernetes/kubeconfig.ts';
import { PLATFORM_KEYS } from '../src/pki/keys.ts';
import type { Karmada } from '../src/api/karmada.ts';
import type { CrdArchive } from '../src/controlplane/crds.ts';
import { karmadas } from '../src/host-clusters/host.ts';
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
    'Show what applying a Karmada would change: objects, order, Pod restarts, blocked changes.',
  )
  .argument('[name]', 'name of the Karmada for --patch')
  .option('-f, --file <file>', 'file with one Karmada, as for kubectl apply')
  .option('-n, --namespace <namespace>', 'namespace of the Karmada for --patch', 'default')
  .option('--patch <json>', 'JSON merge patch, as for kubectl patch --type=merge')
  .option(
    '--kubeconfig <file>',
    'kubeconfig of the cluster with the Karmada',
    process.env['KUBECONFIG'] ?? join(homedir(), '.kube/config'),
  )
  .addOption(
    new Option('--cross-namespace-secrets <mode>', 'same value as the flag of the operator')
      .choices(CROSS_NAMESPACE_SECRETS)
      .default('Granted'),
  )
  .option('--crds <file>', 'CRD archive to use instead of the one in spec.crdTarball');

const { file, namespace, patch, kubeconfig, crds, crossNamespaceSecrets } = command
  .parse()
  .opts<Flags>();
const [name] = command.args;
const caller = process.env['INIT_CWD'] ?? process.cwd();

/** Reads the CRDs. The Karmada has its defaults already, so a default StorageClass has no effect. */
const archiveOf = (karmada: Karmada): Promise<CrdArchive> =>
  localArchive(
    karmada,
    { defaultStorageClass: false },
    crds === undefined ? undefined : resolve(caller, crds),
  );

const connect = (access: ExplicitAccess): KubernetesClient =>
  createClient(explicitEndpoint(access), { userAgent: 'karmada-plan' });

async function requestFromFlags(): Promise<PlanRequest> {
  if (file !== undefined && name === undefined && patch === undefined)
    return { given: parseKarmada(await readFile(resolve(caller, file), 'utf8'), file) };
  if (file === undefined && name !== undefined && patch !== undefined)
    return { name, namespace, patch: parsePatch(patch) };
  throw new Error('specify either -f FILE, or the name of a Karmada and --patch');
}

function parsePatch(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isObject(parsed)) return parsed;
  } catch {
    // The error below reports invalid JSON too.
  }
  throw new Error('--patch: not a JSON object; write it like {"spec":{"version":"v1.17.1"}}');
}

async function main(): Promise<void> {
  const request = await requestFromFlags();
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
