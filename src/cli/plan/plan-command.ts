/** Command `plan`. */
import { Option, type Command } from 'commander';
import { CROSS_NAMESPACE_SECRETS, type CrossNamespaceSecrets } from '../../api/secret-grant.ts';
import { plan } from '../plan.ts';
import { withConnection, type ConnectionFlags } from '../program/connect.ts';
import type { Environment } from '../program/environment.ts';
import { parseKarmada } from '../render.ts';
import { changeRequest } from './change-request.ts';
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
      const request = await changeRequest(environment, name, flags, parseKarmada);
      await withConnection(environment, flags, async (connection) => {
        const tools = planTools(environment, connection, flags);
        environment.output.write(await plan(tools, request(connection.namespace)));
      });
    });
}
