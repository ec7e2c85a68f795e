import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { ProcessEnvironment } from './environment.ts';
import { processEnvironment } from './process-environment.ts';

/** Environment of a process with streams of this test. */
function environmentOf(isTerminal: boolean): {
  environment: ProcessEnvironment;
  input: PassThrough;
} {
  const stream = (): PassThrough => Object.assign(new PassThrough(), { isTTY: isTerminal });
  const input = stream();
  const process = {
    stdin: input,
    stdout: stream(),
    stderr: stream(),
    // npm sets it to the folder in which its user started a script, which may change to another folder.
    env: { INIT_CWD: '/npm' },
    once: () => undefined,
    cwd: () => '/',
  } as unknown as NodeJS.Process;
  const unused = (): never => {
    throw new Error('not used');
  };
  const build = { templates: unused, crdArchive: unused, fieldSchemas: unused };
  return { environment: processEnvironment(process, { version: 'v1', ...build }), input };
}

describe('processEnvironment', () => {
  it.each([
    ['a line', 'yes\r', 'yes'],
    ['Ctrl-C', '\u0003', ''],
    ['Ctrl-D', '\u0004', ''],
  ])('returns the answer of a terminal after %s', async (_, keys, expected) => {
    const { environment, input } = environmentOf(true);
    const answer = environment.ask('Continue? ');
    input.write(keys);
    expect(await answer).toBe(expected);
  });

  it('resolves paths as other programs do, also in a script of npm', () => {
    expect(environmentOf(false).environment.workingDirectory).toBe('/');
  });

  it('asks nothing if the input is not a terminal', async () => {
    expect(await environmentOf(false).environment.ask('Continue? ')).toBeUndefined();
  });

  it('reads the standard input until its end', async () => {
    const { environment, input } = environmentOf(false);
    input.write('kind: ');
    input.end('Karmada\n');
    expect(await environment.input()).toBe('kind: Karmada\n');
  });

  it('ends with 127 for a program that does not exist, as a shell does', async () => {
    const { environment } = environmentOf(false);
    await expect(environment.runProgram(['/no/such-program'], {})).rejects.toMatchObject({
      message: '/no/such-program: program not found',
      exitCode: 127,
    });
  });
});
