/** What a command of the kubectl plugin uses of its process. Only the entry file reads `process`. */
import type { Readable } from 'node:stream';
import type { FieldError } from '../../api/validation/field-error.ts';
import type { Templates } from '../../components/render.ts';
import type { Clock } from '../../kubernetes/time/clock.ts';
import type { FieldSchemas } from '../fields/field-schema.ts';

/** A text stream of the process. */
export interface TextStream {
  write(text: string): void;
  /** Whether a terminal shows the text. */
  readonly isTerminal: boolean;
}

/** Output of a command. Implemented by `safe-output.ts`, because a text can quote any program. */
export interface TextOutput extends TextStream {
  /** Writes lines for people, without characters that a terminal interprets. */
  write(text: string): void;
  /** Writes data that a program may read: unchanged, unless a terminal shows it. */
  writeData(text: string): void;
  /** Replaces what a terminal shows. */
  redraw(text: string): void;
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
  readonly errors: TextStream;
  /** Reads the standard input until its end. */
  readonly input: () => Promise<string>;
  /** Reads one line from the user. @returns undefined if the input is not a terminal; empty after Ctrl-C or Ctrl-D */
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
  /** Loads the fields of the kinds of this version. */
  readonly fieldSchemas: () => Promise<FieldSchemas>;
}

/** The same with the streams of a process. Commands do not get it. */
export interface ProcessEnvironment extends Omit<Environment, 'output'> {
  readonly output: TextStream;
}

/** Error whose message tells the user what to do. The program prints it and ends with its exit code. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}

/** Several errors. The program prints each on a line of its own. */
export class CommandErrors extends CommandError {
  readonly lines: readonly string[];

  constructor(lines: readonly string[], exitCode = 1) {
    super(lines.join('; '), exitCode);
    this.name = 'CommandErrors';
    this.lines = lines;
  }
}

/** Errors of fields of a Karmada. */
export class InvalidFields extends CommandErrors {
  constructor(errors: readonly FieldError[]) {
    super(errors.map(({ field, message }) => `${field}: ${message}`));
    this.name = 'InvalidFields';
  }
}

/** Ends a command that has printed its result, with an exit code that is no error. */
export class CommandResult extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit code ${exitCode}`);
    this.name = 'CommandResult';
    this.exitCode = exitCode;
  }
}
