import { describe, expect, it } from '@jest/globals';
import type { FleetFigures, PhaseFigures } from './measure.ts';
import { report } from './report.ts';

const phase = (more: Partial<PhaseFigures> = {}): PhaseFigures => ({
  seconds: 10,
  requests: { host: 46, inside: 90.25 },
  writes: 0,
  statusChanges: 0,
  lost: 0,
  processorSeconds: 5,
  peak: 100.4,
  reconcile: { p50: 0.02, p99: 0.05 },
  repairsMs: [],
  ...more,
});

const FIGURES: FleetFigures = {
  count: 10,
  emptyMemory: 30,
  restMemory: 40,
  timesMs: [1_000, 3_000, 2_000],
  processes: 2,
  install: phase({ seconds: 3.21, reconcile: { p50: 0.02, p99: Infinity } }),
  rest: phase({ processorSeconds: 1 }),
  restart: phase({ writes: 1, statusChanges: 2, lost: 3, repairsMs: [400, 20, 30] }),
};

describe('report', () => {
  const rows = report([FIGURES, { ...FIGURES, count: 1_000 }]).split('\n');

  it('has a column for each fleet', () => {
    expect(rows.slice(0, 2)).toEqual(['| Control planes | 10 | 1000 |', '| --- | --- | --- |']);
    expect(new Set(rows.filter(Boolean).map((line) => line.split('|').length))).toEqual(
      new Set([5]),
    );
  });

  it.each([
    ['all Ready after the last was created', '3.2 s'],
    ['one Ready: median, highest', '2.0 s, 3.0 s'],
    ['requests for each: host / inside', '46.0 / 90.3'],
    ['processor time of the operator for each', '500 ms'],
    ['reconcile: p50, p99', '≤ 0.02 s, > 10 s'],
    ['repair during the installation: p50, p99', '-'],
    ['memory: highest', '100 MiB'],
    ['at rest: memory for each', '1024 KiB'],
    ['at rest: share of a core', '10.0 %'],
    ['restart: writes, status changes, lost Ready', '1, 2, 3'],
    ['restart: repair: p50, p99', '30 ms, 400 ms (3)'],
    ['processes of the operator', '2'],
  ])('shows %s as %s', (title, value) => {
    const [line] = report([FIGURES])
      .split('\n')
      .filter((one) => one.startsWith(`| ${title} |`));
    expect(line).toBe(`| ${title} | ${value} |`);
  });

  it('shows no quantile without values', () => {
    const idle = phase({ reconcile: { p50: undefined, p99: undefined } });
    expect(report([{ ...FIGURES, rest: idle }])).toContain(
      '| at rest: reconcile: p50, p99 | -, - |',
    );
  });
});
