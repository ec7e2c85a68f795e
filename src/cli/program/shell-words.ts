/** Prints commands that a user copies into a shell. Pure functions. */

/** Characters that no POSIX shell interprets. */
const PLAIN = /^[\w./:@%+=,-]+$/;

/** Quotes a word for a POSIX shell, if it needs quotes. */
const shellWord = (word: string): string =>
  PLAIN.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** Joins the words of a command for a POSIX shell. */
export const shellCommand = (words: readonly string[]): string => words.map(shellWord).join(' ');
