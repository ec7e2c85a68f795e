import { describe, expect, it } from '@jest/globals';
import { countIn, Failures, summaryOf } from './summary.ts';

const WATCH = { client: 'watch', way: 'apiserver' } as const;
const refused = (port: number): string => `Error: connect ECONNREFUSED 10.0.0.1:${String(port)}`;

describe('summary of failed calls', () => {
  it('counts calls that fail in the same way, and keeps the first five', () => {
    const failures = new Failures();
    for (let at = 0; at < 5_000; at += 1) failures.add({ ...WATCH, at, error: refused(at) });
    failures.add({ client: 'kept', way: 'webhook', at: 1, error: 'HTTP 500 a' });
    failures.add({ client: 'kept', way: 'webhook', at: 2, error: 'HTTP 503 b' });
    const [watch, ...others] = failures.summary;
    expect(watch).toMatchObject({ ...WATCH, count: 5_000 });
    expect(watch?.first.map(({ error }) => error)).toEqual([0, 1, 2, 3, 4].map(refused));
    expect(others.map(({ kind, count }) => [kind, count])).toEqual([
      ['HTTP 500', 1],
      ['HTTP 503', 1],
    ]);
    expect(countIn(failures.summary)).toBe(5_002);
  });

  it('stays short when each call fails in another way with a long message', () => {
    const failures = new Failures();
    const letters = (at: number): string =>
      String.fromCodePoint(97 + (at % 26), 97 + Math.floor(at / 26));
    for (let at = 0; at < 600; at += 1)
      failures.add({ ...WATCH, at, error: letters(at).repeat(5_000) });
    expect(JSON.stringify(failures.summary).length).toBeLessThan(25_000);
    expect(countIn(failures.summary)).toBe(600);
  });

  it('is empty when no call failed', () => {
    expect(new Failures().summary).toEqual([]);
  });
});

describe('summary of object names', () => {
  it('counts the objects of each client, and keeps the first five names', () => {
    const of = (client: string, count: number): string[] =>
      Array.from({ length: count }, (_, at) => `${client}-17-${String(at)}`);
    const names = [...of('kept', 5_000), ...of('fresh', 1)];
    expect(summaryOf(names)).toEqual([
      { client: 'kept', count: 5_000, first: of('kept', 5) },
      { client: 'fresh', count: 1, first: of('fresh', 1) },
    ]);
    expect(summaryOf([])).toEqual([]);
  });
});
