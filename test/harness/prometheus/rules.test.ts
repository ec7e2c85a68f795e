import { describe, expect, it } from '@jest/globals';
import { durationMs, scaledGroups, seriesIn } from './rules.ts';

describe('durationMs', () => {
  it.each([
    ['500ms', 500],
    ['10m', 600_000],
    ['1h', 3_600_000],
  ])('returns the milliseconds of %s', (text, ms) => {
    expect(durationMs(text)).toBe(ms);
  });

  it.each(['', '10', '1h30m', 'm'])('rejects "%s"', (text) => {
    expect(() => durationMs(text)).toThrow('not a duration');
  });
});

describe('scaledGroups', () => {
  it('divides the time of a rule and its ranges, and keeps all other numbers', () => {
    const rule = { alert: 'A', labels: {}, annotations: { summary: 's' } };
    const groups = [
      {
        name: 'g',
        rules: [{ ...rule, expr: 'rate(a{b="1"}[10m]) > 0.5 and c < 14 * 86400', for: '15m' }],
      },
    ];
    expect(scaledGroups(groups, 60)).toEqual([
      {
        name: 'g',
        rules: [
          { ...rule, expr: 'rate(a{b="1"}[10000ms]) > 0.5 and c < 14 * 86400', for: '15000ms' },
        ],
      },
    ]);
  });
});

describe('seriesIn', () => {
  it('returns each series of the operator and of its process once', () => {
    const expr = 'sum by (kind) (rate(karmada_operator_repairs_total{kind="x"}[5m])) / time()';
    expect(seriesIn(expr, expr, 'nodejs_eventloop_lag_p99_seconds')).toEqual([
      'karmada_operator_repairs_total',
      'nodejs_eventloop_lag_p99_seconds',
    ]);
  });
});
