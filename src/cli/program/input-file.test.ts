import { describe, expect, it } from '@jest/globals';
import { readInputFile } from './input-file.ts';

const environment = {
  input: () => Promise.resolve('piped'),
  workingDirectory: import.meta.dirname,
};

describe('readInputFile', () => {
  it('reads a file relative to the working directory, and the standard input for -', async () => {
    expect(await readInputFile(environment, 'input-file.test.ts')).toContain('readInputFile');
    expect(await readInputFile(environment, '-')).toBe('piped');
  });

  it.each([
    ['..', 'the path ".." is a directory; name a file in it'],
    ['none.yaml', 'ENOENT'],
  ])('names %s if it is no file', async (file, message) => {
    await expect(readInputFile(environment, file)).rejects.toThrow(message);
  });
});
