/** Alert rules of a PrometheusRule, and the same rules for a test in which time passes faster: pure functions. */

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface RuleGroup {
  readonly name: string;
  readonly rules: readonly Rule[];
}

const MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Milliseconds of a Prometheus duration of one unit, such as `10m`. @throws Error for any other text */
export function durationMs(text: string): number {
  const [, count = '', unit = ''] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? [];
  const ms = Number(count) * (MS[unit] ?? 0);
  if (ms === 0) throw new Error(`${text}: not a duration such as 10m`);
  return ms;
}

/**
 * Divides all times of rules: `for`, and the ranges of the expressions such as `[10m]`. Other numbers stay, so a rate per
 * second is reached by fewer events within its shorter range.
 */
export function scaledGroups(groups: readonly RuleGroup[], divisor: number): readonly RuleGroup[] {
  const scaled = (text: string): string => `${String(Math.ceil(durationMs(text) / divisor))}ms`;
  const inRanges = (expr: string): string =>
    expr.replaceAll(/\[([^\]]+)\]/g, (_, range: string) => `[${scaled(range)}]`);
  return groups.map((group) => ({
    ...group,
    rules: group.rules.map((rule) => ({
      ...rule,
      expr: inRanges(rule.expr),
      for: scaled(rule.for),
    })),
  }));
}

/** Names of the operator's series in expressions. */
export const seriesIn = (...expressions: readonly string[]): readonly string[] => [
  ...new Set(
    expressions.flatMap((expr) => expr.match(/\b(?:karmada_operator|nodejs|process)_\w+/g) ?? []),
  ),
];
