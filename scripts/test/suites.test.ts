import { describe, expect, it } from '@jest/globals';
import { checkout } from '../../test/embedded-cluster/paths.ts';
import { filesOf, planStages } from './stages.ts';
import {
  DRAWN_SUITES,
  isDrawn,
  isLong,
  parseShard,
  runsAlone,
  secondsToOrderBy,
  shardOf,
  toolInputs,
} from './suites.ts';

describe('test suites', () => {
  it('lists the started programs as inputs when a suite tests the tools', () => {
    expect(toolInputs('test/e2e/lifecycle.test.ts')).toEqual(['test/embedded-cluster/main.ts']);
    expect(toolInputs('test/e2e/core.test.ts')).toBeUndefined();
  });

  it('draws from suites that exist', () => {
    const files = filesOf(checkout, 'e2e').filter(isDrawn);
    expect(files).toHaveLength(14);
  });

  it('runs a suite alone when it inspects the whole machine or starts many clusters', () => {
    expect(runsAlone('test/e2e/remote-host.test.ts')).toBe(true);
    expect(runsAlone('test/e2e/lifecycle.test.ts')).toBe(true);
    expect(runsAlone('test/e2e/core.test.ts')).toBe(false);
  });

  it('sorts suites by recorded seconds, otherwise by usual seconds', () => {
    expect(secondsToOrderBy('test/e2e/upgrade.test.ts', 600)).toBe(600);
    expect(secondsToOrderBy('test/e2e/upgrade.test.ts', undefined)).toBe(330);
    expect(secondsToOrderBy('test/e2e/cluster.test.ts', undefined)).toBeUndefined();
  });

  it('classifies a suite as long when only test:all runs it', () => {
    expect(isLong('test/e2e/operator-upgrade.test.ts')).toBe(true);
    expect(isLong('test/e2e/core.test.ts')).toBe(false);
  });
});

describe('planStages', () => {
  const files = filesOf(checkout, 'e2e');
  const selection = {
    ...{ root: checkout, files, named: false, everything: false, resume: false },
    keys: new Map<string, string>(),
  };

  it('selects a sample of the single-feature suites and all other suites', () => {
    const { stages, undrawn } = planStages({ ...selection, seed: 1 });
    const present = stages.flatMap((stage) => stage.files);
    expect(undrawn.length).toBe(files.filter(isDrawn).length - DRAWN_SUITES);
    expect(undrawn.every(isDrawn)).toBe(true);
    expect([...present, ...undrawn, ...files.filter(isLong)].sort()).toEqual([...files].sort());
  });

  it('selects every suite for some seed', () => {
    const seen = new Set(
      Array.from({ length: 30 }, (_, seed) => planStages({ ...selection, seed }))
        .flatMap(({ stages }) => stages.flatMap((stage) => stage.files))
        .filter(isDrawn),
    );
    expect(seen.size).toBe(files.filter(isDrawn).length);
  });

  it.each([{ named: true }, { everything: true }])('selects all suites with %j', (more) => {
    expect(planStages({ ...selection, ...more, seed: 1 }).undrawn).toEqual([]);
  });
});

describe('test shards', () => {
  it.each(['', '3', '0/2', '3/2', '1/0', 'a/b', '1/2/3'])('rejects the shard %j', (text) => {
    expect(() => parseShard(text)).toThrow('such as 1/3');
  });

  it('splits the suites into shards of about equal time, each suite once', () => {
    const files = ['a', 'b', 'c', 'd', 'e'];
    const seconds: Record<string, number> = { a: 100, b: 60, c: 50, d: 10, e: 1 };
    const of = (text: string) => shardOf(files, parseShard(text), (file) => seconds[file] ?? 0);
    expect([of('1/2'), of('2/2')]).toEqual([
      ['a', 'd', 'e'],
      ['b', 'c'],
    ]);
    expect(of('1/1').sort()).toEqual(files);
  });
});
