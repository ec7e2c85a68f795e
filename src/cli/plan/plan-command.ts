/** Command `plan`. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { isObject } from '../../kubernetes/compare.ts';
import { CROSS_NAMESPACE_SECRETS, type CrossNamespaceSecrets } from '../../api/secret-grant.ts';
import { plan, type PlanRequest } from '../plan.ts';
import { withConnection, type ConnectionFlags } from '../program/connect.ts';
import { CommandError, type Environment } from '../program/environment.ts';
import { parseKarmada } from '../render.ts';
import { planTools } from './plan-tools.ts';

interface Flags extends ConnectionFlags {
  readonly file?: string;
  readonly patch?: string;
  readonly crds?: string;
  readonly crossNamespaceSecrets: CrossNamespaceSecrets;
}

/** Adds the command `plan`. */
export function addPlan(program: Command, environment: Environment): void {
  program
    .command('plan')
    .argument('[name]', 'name of the Karmada for --patch')
    .option('-f, --file <file>', 'file with one Karmada, as for kubectl apply')
    .option('--patch <json>', 'JSON merge patch, as for kubectl patch --type=merge')
    .addOption(
      new Option('--cross-namespace-secrets <mode>', 'same value as the flag of the operator')
        .choices(CROSS_NAMESPACE_SECRETS)
        .default('Granted'),
    )
    .option('--crds <file>', 'CRD archive to use instead of the one in spec.crdTarball')
    .action(async (name: string | undefined, _, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      const request = await requestFrom(environment, name, flags);
      await withConnection(environment, flags, async (connection) => {
        const tools = planTools(environment, connection, flags);
        environment.output.write(await plan(tools, request(connection.namespace)));
      });
    });
}

/** Reads the request of a command line. The result needs the namespace of the connection. */
async function requestFrom(
  { workingDirectory }: Environment,
  name: string | undefined,
  { file, patch }: Flags,
): Promise<(namespace: string) => PlanRequest> {
  if (file !== undefined && name === undefined && patch === undefined) {
    const given = parseKarmada(await readFile(resolve(workingDirectory, file), 'utf8'), file);
    return () => ({ given });
  }
  if (file === undefined && name !== undefined) {
    // Without a patch the preview shows what the present spec still changes.
    const change = parsePatch(patch ?? '{}');
    return (namespace) => ({ name, namespace, patch: change });
  }
  throw new CommandError('specify either -f FILE, or the name of a Karmada with --patch');
}

function parsePatch(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isObject(parsed)) return parsed;
  } catch {
    // The error below reports invalid JSON too.
  }
  throw new CommandError(
    '--patch: not a JSON object; write it like {"spec":{"version":"v1.17.1"}}',
  );
}
