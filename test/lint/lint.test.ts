import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { attempt } from '../../tools/embedded-cluster/command.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';

const planted = join(checkout, 'test/lint/planted');

interface Diagnostic {
  readonly code: string;
  readonly filename: string;
}

describe('lint rules', () => {
  it('reports a floating promise and an unbound method', async () => {
    const oxlint = join(checkout, 'node_modules/oxlint/bin/oxlint');
    const { stdout } = await attempt(
      [process.execPath, oxlint, '--type-aware', '--config', '.oxlintrc.json', '--format', 'json'],
      { cwd: planted },
    );
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: Diagnostic[] };
    const found = diagnostics.map(({ code, filename }) => `${filename}: ${code}`);
    expect(found.toSorted()).toEqual([
      'floating.ts: typescript(no-floating-promises)',
      'unbound.ts: typescript(unbound-method)',
    ]);
  });

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
      'layer-of-kubernetes/objects: src/kubernetes/objects/looks-up.ts src/features/components/step.ts',
      'no-circular: src/features/components/plan.ts src/features/components/step.ts',
      'no-tests-in-src: src/features/components/needs-a-script.ts scripts/tool.ts',
    ]);
  });
});
