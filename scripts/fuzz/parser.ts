/** A parser of data that users and other servers control, as the fuzzer and the tests of limits see it. */

export interface UntrustedParser {
  readonly name: string;
  /**
   * Parses an input as the operator does.
   * @throws one of `errors` for an input that is not valid; everything else is a bug
   */
  readonly parse: (input: Buffer) => unknown;
  /** Names of the errors with which the parser rejects an input. */
  readonly errors: readonly string[];
  /** Valid and almost valid inputs. */
  readonly seeds: readonly Buffer[];
  /** Parts of the syntax: mutations insert them, and repeat them. */
  readonly tokens: readonly string[];
  /** Size of an input that the parser rejects without parsing it, in bytes. */
  readonly limit: number;
  /** Puts a text where the parser reads most of it, such as the message of a Status. */
  readonly wrap?: (text: string) => Buffer;
}

/** Whether an error is an answer of the parser, not a bug. */
export const isAnswer = (error: unknown, { errors }: UntrustedParser): boolean =>
  error instanceof Error && errors.includes(error.name) && !isRuntimeError(error);

const isRuntimeError = (error: Error): boolean =>
  [TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => error instanceof kind);
