/** Asks the user before a change. */
import { CommandError, type Environment } from './environment.ts';

/**
 * Asks a question that the user must answer with yes.
 * @param action such as `upgrade`, for errors
 * @throws CommandError after another answer, or if the input is not a terminal
 */
export async function confirm(
  { ask }: Pick<Environment, 'ask'>,
  question: string,
  action: string,
): Promise<void> {
  const answer = await ask(`${question} [y/N] `);
  if (answer === undefined)
    throw new CommandError(`the input is not a terminal; confirm the ${action} with --yes`);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError(`${action} not confirmed`);
}
