import type { Check } from '../../src/untrusted/checks.ts';

/**
 * Parses JSON of a program or a file.
 * @param what the text is, for the error
 * @throws SyntaxError for other text, Error for another value
 */
export function parseJson<T>(text: string, check: Check<T>, what: string): T {
  const value: unknown = JSON.parse(text);
  if (!check(value)) throw new Error(`${what}: JSON with another content than expected`);
  return value;
}
