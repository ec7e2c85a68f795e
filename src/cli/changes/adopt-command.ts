/** Command `adopt`: shows what an adoption restarts, asks, and confirms it. */
import type { Command } from 'commander';
import { withConnection, type CommandRequest } from '../program/connect.ts';
import { confirm } from '../program/confirm.ts';
import type { Environment } from '../program/environment.ts';
import { readKarmada } from '../program/karmada.ts';
import { printable } from '../program/text.ts';
import { adoptDecision, adoptionText } from './adopt.ts';
import { changeKarmada, DRY_RUN, type ChangeFlags } from './change-karmada.ts';

type Request = CommandRequest<ChangeFlags>;

interface Flags extends ChangeFlags {
  readonly yes?: boolean;
}

/** Adds the command `adopt`. */
export function addAdopt(program: Command, environment: Environment): void {
  program
    .command('adopt')
    .argument('<name>', 'name of the Karmada')
    .option('-y, --yes', 'do not ask')
    .option('--dry-run', DRY_RUN)
    .action(async (name: string, _, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      await withConnection(environment, flags, (connection) =>
        adopt({ environment, connection, flags }, name, flags.yes === true),
      );
    });
}

async function adopt(request: Request, name: string, isConfirmed: boolean): Promise<void> {
  const { environment, connection, flags } = request;
  const karmada = await readKarmada(connection, name);
  const text = adoptionText(karmada);
  const { patch } = adoptDecision(karmada);
  if (text !== undefined) environment.output.write(`${printable(text)}\n`);
  if (patch !== undefined && !isConfirmed && flags.dryRun !== true)
    await confirm(environment, `Adopt the control plane of Karmada ${name}?`, 'adoption');
  await changeKarmada(request, name, adoptDecision);
}
