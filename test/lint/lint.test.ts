import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { attempt } from '../embedded-cluster/command.ts';
import { checkout } from '../embedded-cluster/paths.ts';

const planted = join(checkout, 'test/lint/planted');

describe('lint rules', () => {
  it('reports a floating promise and an unbound method', async () => {
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

  it('reports an import of a higher layer, an import of a script, and an import cycle', async () => {
    const cruiser = join(checkout, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
    const config = join(checkout, 'dependency-cruiser.config.js');
    const { stdout } = await attempt(
      [process.execPath, cruiser, '--config', config, '--output-type', 'json', 'src'],
      { cwd: planted },
    );
    const { summary } = JSON.parse(stdout) as {
      summary: { violations: { rule: { name: string }; from: string; to: string }[] };
    };
    const found = summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} ${to}`);
    expect(found.toSorted()).toEqual([
      'layer-of-kubernetes: src/kubernetes/looks-up.ts src/reconcile/step.ts',
      'no-circular: src/reconcile/plan.ts src/reconcile/step.ts',
      'no-tests-in-src: src/reconcile/needs-a-script.ts scripts/tool.ts',
    ]);
  }, 60_000);
});
