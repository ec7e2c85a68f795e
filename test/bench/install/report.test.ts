import { describe, expect, it } from '@jest/globals';
import { parseProcessors } from './machine.ts';
import { memorySample, residentBytes } from './memory.ts';
import { orderOf } from './rounds.ts';
import { pairedRatios, report, runLine, type Run } from './report.ts';

const quiet = { idle: 0.95, waitedMs: 3000, quiet: true, load: 0.1 };
const load = { clusterSeconds: 9, foreign: 0.05 };

const run = (side: string, round: number, readyMs: number): Run => ({
  side,
  round,
  restBeforeInstall: quiet,
  install: { readyMs, saidReadyMs: readyMs + 100, workloadsMs: {}, rounds: [], load },
  restBeforeRemoval: quiet,
  removal: { goneMs: 3000, returnedMs: 700, objectsMs: {}, load },
});

const machine = { processor: 'CPU', processors: 2, memoryGiB: 24, kernel: '6', node: 'v24' };
const results = { machine, kind: 'core', began: '2026-01-01T00:00:00Z', memory: [] };

describe('install benchmark report', () => {
  const runs = [
    run('ours', 0, 90_000),
    run('upstream', 0, 10_000),
    run('ours', 1, 10_000),
    run('upstream', 1, 25_000),
    run('upstream', 2, 20_000),
    run('ours', 2, 12_000),
  ];

  const operators = { of: 'ours', to: 'upstream' };

  it('compares the sides of each round without the warm-up round', () => {
    const readyMs = ({ install }: Run): number => install.readyMs;
    expect(pairedRatios(runs, operators, readyMs)).toEqual([0.4, 0.6]);
  });

  it('shows median, minimum, maximum, and the upper bound of the ratio', () => {
    const text = report({ ...results, runs }, [operators]);
    expect(text).toContain(
      '| Install until it serves requests | 11.0 s (10.0–12.0) | 22.5 s (20.0–25.0) | 0.50 | 0.60 (50 %) |',
    );
    expect(text).toContain('2 rounds of installs');
    expect(text).toContain('2 × CPU, 24 GiB');
  });

  it('names the number of runs before which the machine was not idle', () => {
    const loud = { ...run('ours', 1, 1000), restBeforeInstall: { ...quiet, quiet: false } };
    expect(report({ ...results, runs: [loud] }, [])).toContain('not idle before 1 of 1 runs');
    expect(report({ ...results, runs }, [])).not.toContain('not idle');
    expect(runLine(loud)).toContain('ready after 1.0 s, reported after 1.1 s');
  });

  it('renders one table for each comparison', () => {
    const remote = [run('local', 1, 10_000), run('forwarded', 1, 12_000), run('direct', 1, 11_000)];
    const sides = ['direct', 'forwarded'].map((of) => ({ of, to: 'local' }));
    const lines = report({ ...results, runs: remote }, sides).split('\n');
    expect(lines.filter((line) => line.includes('serves requests'))).toEqual([
      '| Install until it serves requests | 11.0 s (11.0–11.0) | 10.0 s (10.0–10.0) | 1.10 | 1.10 (0 %) |',
      '| Install until it serves requests | 12.0 s (12.0–12.0) | 10.0 s (10.0–10.0) | 1.20 | 1.20 (0 %) |',
    ]);
  });

  it.each([
    { sides: ['ours', 'upstream'], orders: ['ours,upstream', 'upstream,ours', 'ours,upstream'] },
    { sides: ['a', 'b', 'c'], orders: ['a,b,c', 'b,c,a', 'c,a,b', 'a,b,c'] },
  ])('rotates the order of $sides in each round', ({ sides, orders }) => {
    expect(orders.map((_, round) => orderOf(sides, round).join())).toEqual(orders);
  });

  it('shows the memory of each operator', () => {
    const figure = {
      workingSet: [2 ** 20, 3 * 2 ** 20],
      anonymous: [2 ** 20],
      resident: [2 ** 22],
    };
    const memory = [{ operator: 'ours' as const, instances: 3, ...figure }];
    expect(report({ ...results, runs: [], memory }, [])).toContain(
      '| 3 | ours | 2.0 MiB (3.0 MiB) | 1.0 MiB | 4.0 MiB |',
    );
  });
});

describe('kernel statistics', () => {
  it.each([
    { version: 1 as const, text: 'rss 1\ntotal_rss 70\ntotal_inactive_file 20\n' },
    { version: 2 as const, text: 'anon 70\nfile 1\ninactive_file 20\nslab 3\n' },
  ])('parses the memory of a cgroup of version $version', ({ version, text }) => {
    expect(memorySample('100\n', text, version)).toEqual({ workingSet: 80, anonymous: 70 });
    expect(() => memorySample('100\n', 'nothing 1\n', version)).toThrow('memory.stat has no');
  });

  it('parses the RSS of a process', () => {
    expect(residentBytes('Name:\tnode\nVmRSS:\t   12 kB\nRssAnon:\t 8 kB\n')).toBe(12 * 1024);
    expect(residentBytes('Name:\tkthreadd\n')).toBe(0);
  });

  it('parses the CPU time of the machine', () => {
    const stat = 'cpu  100 200 300 4000 500 60 70 80 900 0\ncpu0 1 2 3 4\n';
    expect(parseProcessors(stat)).toEqual({ busy: 8.1, idle: 45 });
  });
});
