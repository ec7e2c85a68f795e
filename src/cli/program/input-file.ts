/** Reads files that the user names in flags. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fieldsOf } from '../../kubernetes/objects/records.ts';
import { CommandError, type Environment } from './environment.ts';

/** Name of the standard input, as for kubectl. */
const STANDARD_INPUT = '-';

/**
 * Reads the text of a file.
 * @param file path relative to the working directory of the user, or `-` for the standard input
 * @throws the error of the file system, or CommandError for a directory
 */
export async function readInputFile(
  { input, workingDirectory }: Pick<Environment, 'input' | 'workingDirectory'>,
  file: string,
): Promise<string> {
  if (file === STANDARD_INPUT) return input();
  try {
    return await readFile(resolve(workingDirectory, file), 'utf8');
  } catch (error) {
    // Some versions of Node.js do not name the directory.
    if (fieldsOf(error).code === 'EISDIR')
      throw new CommandError(`the path ${JSON.stringify(file)} is a directory; name a file in it`);
    throw error;
  }
}
