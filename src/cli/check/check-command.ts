/** Command `check`. */
import { Option, type Command } from 'commander';
import { CROSS_NAMESPACE_SECRETS, type CrossNamespaceSecrets } from '../../api/secret-grant.ts';
import { changeRequest } from '../plan/change-request.ts';
import { planTools } from '../plan/plan-tools.ts';
import { withConnection, type ConnectionFlags } from '../program/connect.ts';
import type { Environment } from '../program/environment.ts';
import { outputOption, structured, type StructuredFormat } from '../program/structured.ts';
import { palette, usesColors } from '../program/text.ts';
import { checkText } from './check-text.ts';
import { failIfAny } from './result.ts';
import { runChecks } from './run-checks.ts';

interface Flags extends ConnectionFlags {
  readonly file?: string;
  readonly patch?: string;
  readonly crossNamespaceSecrets: CrossNamespaceSecrets;
  readonly output?: StructuredFormat;
}

/** Adds the command `check`. */
export function addCheck(program: Command, environment: Environment): void {
  program
    .command('check')
    .argument('[name]', 'name of the Karmada; without --patch its present spec is checked')
    .option(
      '-f, --file <file>',
      'file with one Karmada, as for kubectl apply; - is the standard input',
    )
    .option('--patch <json>', 'JSON merge patch, as for kubectl patch --type=merge')
    .addOption(
      new Option('--cross-namespace-secrets <mode>', 'same value as the flag of the operator')
        .choices(CROSS_NAMESPACE_SECRETS)
        .default('Granted'),
    )
    .addOption(outputOption())
    .action(async (name: string | undefined, _, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      const request = await changeRequest(environment, name, flags, (given) => given);
      const results = await withConnection(environment, flags, (connection) =>
        runChecks(
          { ...planTools(environment, connection, flags), connection },
          request(connection.namespace),
        ),
      );
      environment.output.write(
        flags.output === undefined
          ? checkText(results, palette(usesColors(environment)))
          : structured({ items: results }, flags.output),
      );
      failIfAny(results);
    });
}
