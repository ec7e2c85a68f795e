/** Reads files that the user names in flags. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Environment } from './environment.ts';

/** Name of the standard input, as for kubectl. */
const STANDARD_INPUT = '-';

/**
 * Reads the text of a file.
 * @param file path relative to the working directory of the user, or `-` for the standard input
 * @throws the error of the file system
 */
export const readInputFile = (
  { input, workingDirectory }: Pick<Environment, 'input' | 'workingDirectory'>,
  file: string,
): Promise<string> =>
  file === STANDARD_INPUT ? input() : readFile(resolve(workingDirectory, file), 'utf8');
