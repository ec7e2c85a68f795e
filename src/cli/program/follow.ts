/** Follows an object until its result. */
import { sleep } from '../../kubernetes/time/clock.ts';
import { CommandError, type Environment } from './environment.ts';
import { printable } from './text.ts';

/** Pause between two reads, in milliseconds. */
const FOLLOW_MS = 1_000;

/** State of a followed object. */
export interface Progress<T> {
  /** Line for the user; empty if there is none. */
  readonly text: string;
  /** Result; absent while the object is in progress. */
  readonly result?: T;
}

/**
 * Reads until there is a result, and prints each new line.
 * @throws CommandError if the user interrupts, so that a script does not take it for the result
 */
export async function follow<T>(
  { output, clock, interrupted }: Pick<Environment, 'output' | 'clock' | 'interrupted'>,
  read: () => Promise<Progress<T>>,
): Promise<T> {
  let last = '';
  while (!interrupted.aborted) {
    const { text, result } = await read();
    const line = printable(text);
    if (line !== last && line !== '') output.write(`${line}\n`);
    if (result !== undefined) return result;
    last = line;
    await sleep(clock, FOLLOW_MS, interrupted);
  }
  throw new CommandError('interrupted');
}
