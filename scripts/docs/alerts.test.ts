import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { checkout } from '../../tools/embedded-cluster/paths.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly description: string };
}

const read = (path: string): Promise<string> => readFile(join(checkout, path), 'utf8');
const { spec } = load(await read('config/monitoring/prometheus-rule.yaml')) as {
  readonly spec: { readonly groups: readonly { readonly rules: readonly Rule[] }[] };
};
const rules = spec.groups.flatMap((group) => group.rules);
const [metrics, page] = await Promise.all(
  ['docs/reference/metrics.md', 'docs/operate/alerts.md'].map(read),
);

describe('alerts', () => {
  it.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s uses existing metrics and is documented',
    (alert, { expr, annotations }) => {
      const names = expr.match(/\bkarmada_operator_\w+/g) ?? [];
      expect(names.filter((name) => !metrics?.includes(`\`${name}\``))).toEqual([]);
      expect(names.length).toBeGreaterThan(0);
      expect(page).toContain(`### ${alert}\n`);
      expect(annotations.description).toContain(`docs/operate/alerts.md#${alert.toLowerCase()}.`);
    },
  );

  it('are all the alerts of the page', () => {
    const documented = [...(page ?? '').matchAll(/^### (\w+)$/gm)].map(([, alert]) => alert);
    expect(documented.length).toBeGreaterThan(5);
    expect(documented.sort()).toEqual(rules.map(({ alert }) => alert).sort());
  });
});
