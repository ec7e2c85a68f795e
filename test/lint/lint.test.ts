import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { attempt } from '../cluster/command.ts';
import { checkout } from '../cluster/paths.ts';

describe('the linter', () => {
  it('refuses a promise that nobody waits for, and a method without its object', async () => {
    const planted = join(checkout, 'test/lint/planted');
    const config = join(planted, 'eslint.config.js');
    const eslint = join(checkout, 'node_modules/eslint/bin/eslint.js');
    const { stdout } = await attempt(
      [process.execPath, eslint, '--no-ignore', '--config', config, '--format', 'json', planted],
      { cwd: checkout },
    );
    const messages = (
      JSON.parse(stdout) as { messages: { ruleId: string; line: number }[] }[]
    ).flatMap((file) => file.messages);
    expect(messages).toEqual([
      expect.objectContaining({ ruleId: '@typescript-eslint/no-floating-promises', line: 4 }),
      expect.objectContaining({ ruleId: '@typescript-eslint/unbound-method', line: 10 }),
    ]);
  }, 60_000);
});
