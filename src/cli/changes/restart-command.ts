/** Command `restart`. */
import type { Command } from 'commander';
import { withConnection } from '../program/connect.ts';
import { CommandError, type Environment } from '../program/environment.ts';
import { changeKarmada, DRY_RUN, type ChangeFlags } from './change-karmada.ts';
import { restartDecision } from './restart.ts';

interface Flags extends ChangeFlags {
  readonly all?: boolean;
}

/** Adds the command `restart`. */
export function addRestart(program: Command, environment: Environment): void {
  program
    .command('restart')
    .argument('<name>', 'name of the Karmada')
    .argument('[component...]', 'components to restart, such as karmada-scheduler')
    .option('--all', 'restart all components that can restart')
    .option('--dry-run', DRY_RUN)
    .action(async (name: string, components: readonly string[], _, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      if (components.length > 0 === (flags.all === true))
        throw new CommandError('specify either components, or --all');
      const time = new Date(environment.clock.wall()).toISOString();
      await withConnection(environment, flags, (connection) =>
        changeKarmada({ environment, connection, flags }, name, (karmada) =>
          restartDecision(karmada, { components, time }),
        ),
      );
    });
}
