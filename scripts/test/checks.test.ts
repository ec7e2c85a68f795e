import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { CHECKS, checkSuites, runChecks } from './checks.ts';

it('checks are programs of this checkout', () => {
  for (const [program = ''] of Object.values(CHECKS))
    expect(existsSync(join(checkout, program))).toBe(true);
  expect(checkSuites).toEqual(['check/types', 'check/lint', 'check/site']);
});

it('runChecks fails a check whose program fails, and prints why', async () => {
  const notes: string[] = [];
  const out = {
    note: (text: string) => void notes.push(text),
    step: <T>(_name: string, action: () => Promise<T>) => action(),
  };
  const [result] = await runChecks({ none: ['no/such/program.mjs'] }, out);
  expect(result).toMatchObject({ suite: 'check/none', passed: false });
  expect(notes).toEqual([expect.stringMatching(/^none failed:\n[\s\S]*no\/such\/program/)]);
});
