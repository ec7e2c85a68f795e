import { execFileSync } from 'node:child_process';
import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it } from '@jest/globals';

it('a test file and the programs that it starts have a folder of their own for temporary files', () => {
  expect(basename(tmpdir())).toMatch(/^karmada-test-/);
  const program = 'process.stdout.write(os.tmpdir())';
  for (const env of [process.env, undefined])
    expect(execFileSync(process.execPath, ['-e', program], { env, encoding: 'utf8' })).toBe(
      tmpdir(),
    );
  // Programs of other users can access folders within.
  expect(statSync(tmpdir()).mode & 0o777).toBe(0o711);
  // The environment removes it; scripts/test/jest.test.ts verifies that.
  mkdtempSync(join(tmpdir(), 'left-'));
});
