/** Command `recover`: shows what is lost, asks for the value that confirms it, and sets the annotation. */
import type { Command } from 'commander';
import { withConnection, type CommandRequest } from '../program/connect.ts';
import { CommandError, type Environment } from '../program/environment.ts';
import { readKarmada } from '../program/karmada.ts';
import { printable } from '../program/text.ts';
import { changeKarmada, DRY_RUN, type ChangeFlags } from './change-karmada.ts';
import { confirmedLoss, recoverDecision, someLosses, type Loss } from './recover.ts';

type Request = CommandRequest<ChangeFlags>;

interface Flags extends ChangeFlags {
  readonly confirm?: string;
}

/** Adds the command `recover`. */
export function addRecover(program: Command, environment: Environment): void {
  program
    .command('recover')
    .argument('<name>', 'name of the Karmada')
    .option(
      '--confirm <value>',
      'do not ask: value that the operator asks for, which names what is given up',
    )
    .option('--dry-run', DRY_RUN)
    .action(async (name: string, _, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      await withConnection(environment, flags, (connection) =>
        recover({ environment, connection, flags }, name, flags.confirm),
      );
    });
}

async function recover(
  request: Request,
  name: string,
  confirmed: string | undefined,
): Promise<void> {
  const { environment, connection, flags } = request;
  const karmada = await readKarmada(connection, name);
  const losses = someLosses(karmada);
  // Several values may belong to one cause.
  for (const line of new Set(losses.flatMap(linesOf))) environment.output.write(`${line}\n`);
  if (flags.dryRun === true && confirmed === undefined) return;
  const value = confirmed ?? (await askedValue(environment, losses));
  confirmedLoss(karmada, value);
  await changeKarmada(request, name, (present) => recoverDecision(present, value));
}

const linesOf = ({ cause, givesUp, value }: Loss): readonly string[] =>
  [cause, `Confirming ${value} gives up ${givesUp}.`].map(printable);

/** @throws CommandError if the input is not a terminal */
async function askedValue({ ask }: Environment, losses: readonly Loss[]): Promise<string> {
  const values = losses.map(({ value }) => value).join(' or ');
  const answer = await ask(`Type ${printable(values)} to confirm: `);
  if (answer === undefined)
    throw new CommandError(`the input is not a terminal; confirm with --confirm ${values}`);
  return answer.trim();
}
