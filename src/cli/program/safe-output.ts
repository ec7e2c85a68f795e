/**
 * The only writer of the kubectl plugin. Status, logs and errors contain text of other programs and other users, which must not
 * control the terminal of the user who reads it.
 */
import type { Environment, ProcessEnvironment, TextOutput, TextStream } from './environment.ts';
import { printable, printableLines } from './text.ts';

/** Moves the cursor to the first line, and clears the terminal. */
const CLEAR = '\u001b[H\u001b[J';

/** Returns an output that passes on no characters that a terminal interprets, except line breaks, tabs and styles. */
export function safeOutput(stream: TextStream): TextOutput {
  const { isTerminal } = stream;
  return {
    isTerminal,
    write: (text) => stream.write(printableLines(text, isTerminal)),
    writeData: (text) => stream.write(isTerminal ? printableLines(text, false) : text),
    redraw: (text) => stream.write(CLEAR + printableLines(text, isTerminal)),
  };
}

/** Returns the environment of commands. */
export const safeEnvironment = (process: ProcessEnvironment): Environment => ({
  ...process,
  output: safeOutput(process.output),
  errors: safeOutput(process.errors),
  ask: (question) => process.ask(printable(question)),
});
