import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { attempt } from './command.ts';
import { buildOnDemand } from './scripts-on-path.ts';

describe('buildOnDemand', () => {
  let directory: string;
  const executable = (name: string, text: string): string => {
    const path = join(directory, name);
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
    return path;
  };
  beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), "it's-"))));
  afterEach(() => rmSync(directory, { recursive: true }));

  it.each([
    ['runs the program without a build when it exists', true, 'exit 9', 0],
    ['builds the program when it is missing, and runs what the build prints', false, undefined, 0],
    ['ends with an error when the build fails', false, 'exit 3', 1],
  ])('%s', async (_, exists, build, code) => {
    const program = executable('program', 'printf "%s," "$@"');
    const path = exists ? program : join(directory, 'missing');
    const command = executable('build', build ?? `echo "${program}"`);
    const script = executable('script', '');
    writeFileSync(script, buildOnDemand(path, [command]));
    const result = await attempt([script, 'a b', "c'd"]);
    expect(result).toMatchObject({ code, stdout: code === 0 ? "a b,c'd," : '' });
  });
});
