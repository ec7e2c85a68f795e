/** What a command of the kubectl plugin uses of its process. Only the entry file reads `process`. */
import type { Readable } from 'node:stream';
import type { Templates } from '../../components/render.ts';
import type { Clock } from '../../kubernetes/clock.ts';

/** A text stream of the process. */
export interface TextOutput {
  write(text: string): void;
  /** Whether a terminal shows the text. */
  readonly isTerminal: boolean;
}

export interface Environment {
  /** Version of this program. */
  readonly version: string;
  /** Environment variables. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly homeDirectory: string;
  /** Directory that relative paths of the user refer to. */
  readonly workingDirectory: string;
  readonly output: TextOutput;
  readonly errors: TextOutput;
  /** Reads one line from the user. @returns undefined if the input is not a terminal or has ended */
  readonly ask: (question: string) => Promise<string | undefined>;
  /**
   * Runs another program with the input and output of this one.
   * @param variables in addition to those of this process
   * @returns its exit code
   */
  readonly runProgram: (
    command: readonly string[],
    variables: Readonly<Record<string, string>>,
  ) => Promise<number>;
  readonly clock: Clock;
  /** Aborted when the user presses Ctrl-C. */
  readonly interrupted: AbortSignal;
  /** Templates of the components. */
  readonly templates: () => Templates;
  /** Opens the CRD archive of a Karmada release. @throws Error if this program does not contain it */
  readonly crdArchive: (release: string) => Promise<Readable>;
}

/** Error whose message tells the user what to do. The program prints it and ends with exit code 1. */
export class CommandError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CommandError';
  }
}
