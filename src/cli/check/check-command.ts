/** Command `check`. */
import type { Command } from 'commander';
import { addChangeOptions, changeRequest, type ChangeFlags } from '../plan/change-request.ts';
import { planTools } from '../plan/plan-tools.ts';
import { withConnection } from '../program/connect.ts';
import type { Environment } from '../program/environment.ts';
import { outputOption, structured, type StructuredFormat } from '../program/structured.ts';
import { palette, usesColors } from '../program/text.ts';
import { checkText } from './check-text.ts';
import { failIfAny } from './result.ts';
import { runChecks } from './run-checks.ts';

interface Flags extends ChangeFlags {
  readonly output?: StructuredFormat;
}

/** Adds the command `check`. */
export function addCheck(program: Command, environment: Environment): void {
  const added = program
    .command('check')
    .argument('[name]', 'name of the Karmada; without --patch its present spec is checked');
  addChangeOptions(added)
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
