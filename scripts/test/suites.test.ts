import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { checkout } from '../../test/embedded-cluster/paths.ts';
import { runSeconds, SERVER_SECONDS } from './budget.ts';
import { expectedSeconds, filesOf, planStages } from './stages.ts';
import {
  isDrawn,
  isUnitTest,
  needsCompleteRun,
  parseShard,
  runsAlone,
  secondsOfSuite,
  shardOf,
  toolInputs,
} from './suites.ts';

describe('test suites', () => {
  it('lists the started programs as inputs when a suite tests the tools', () => {
    expect(toolInputs('test/e2e/lifecycle.test.ts')).toEqual(['test/embedded-cluster/main.ts']);
    expect(toolInputs('test/e2e/core.test.ts')).toBeUndefined();
  });

  it('samples all suites in a cluster except those that every control plane needs', () => {
    const always = filesOf(checkout, 'e2e').filter((file) => !isDrawn(file));
    const names = ['core', 'etcd-scaling', 'remote-host', 'upgrade'];
    expect(always).toEqual(names.map((name) => `test/e2e/${name}.test.ts`));
    const integration = filesOf(checkout, 'integration');
    expect(integration.filter(isDrawn)).toEqual(integration.filter(needsCompleteRun));
    expect(isDrawn('test/e2e/new.test.ts')).toBe(true);
  });

  it('runs a suite alone when it inspects the whole machine', () => {
    expect(runsAlone('test/e2e/lifecycle.test.ts')).toBe(true);
    expect(runsAlone('test/e2e/remote-host.test.ts')).toBe(false);
    expect(runsAlone('test/e2e/core.test.ts')).toBe(false);
  });

  it.each([
    ['e2e/upgrade', 600, false, 250],
    ['e2e/upgrade', 600, true, 600],
    ['e2e/upgrade', undefined, true, 250],
    ['e2e/new', 33, false, 33],
    ['e2e/new', undefined, false, 200],
    ['integration/new', undefined, true, 20],
  ])(
    'expects of %s with %s recorded seconds, complete run %s: %i s',
    (name, recorded, all, seconds) => {
      expect(secondsOfSuite(`test/${name}.test.ts`, recorded, all)).toBe(seconds);
    },
  );
});

const files = filesOf(checkout, 'e2e');

describe('suites that draw cases', () => {
  const draws = (file: string): boolean =>
    /\b(drawn|sampled)\(/.test(readFileSync(join(checkout, file), 'utf8'));

  it.each(files.filter(draws))('have usual seconds of a sampled run: %s', (file) => {
    const complete = 99_999;
    expect(secondsOfSuite(file, complete, false)).toBeLessThan(complete);
  });
});

describe('planStages', () => {
  const selection = {
    ...{ root: checkout, files, named: false, everything: false, resume: false },
    ...{ keys: new Map<string, string>(), changed: new Set<string>() },
  };

  const selected = (wish: Parameters<typeof planStages>[0]): string[] =>
    planStages(wish).stages.flatMap((stage) => stage.files);

  it('selects sampled suites that fit into the time of a run, and all other suites', () => {
    const all = [...files, ...filesOf(checkout, 'integration')];
    for (let seed = 0; seed < 20; seed += 1) {
      const { stages, undrawn } = planStages({ ...selection, files: all, seed });
      const present = stages.flatMap((stage) => stage.files);
      expect(undrawn.every(isDrawn)).toBe(true);
      expect([...present, ...undrawn].sort()).toEqual([...all].sort());
      const seconds = expectedSeconds(checkout, present, false);
      const suites = present.map((file) => ({
        ...{ file, seconds: seconds[file] ?? 0, alone: runsAlone(file) },
      }));
      expect(runSeconds(suites)).toBeLessThanOrEqual(SERVER_SECONDS);
      expect(present.filter(isDrawn).length).toBeGreaterThanOrEqual(3);
    }
  });

  it('selects every suite for some seed, except those of a complete run', () => {
    const seen = new Set(
      Array.from({ length: 60 }, (_, seed) => selected({ ...selection, seed })).flat(),
    );
    expect(files.filter((file) => !seen.has(file))).toEqual(files.filter(needsCompleteRun));
  });

  it('selects a sampled suite first when its file was changed', () => {
    const changed = new Set(['test/e2e/external-etcd.test.ts']);
    for (let seed = 0; seed < 20; seed += 1)
      expect(selected({ ...selection, changed, seed })).toEqual(
        expect.arrayContaining([...changed]),
      );
  });

  it('selects no sampled suite when the other suites take the whole time', () => {
    const more = Array.from(
      { length: 200 },
      (_, n) => `test/integration/more-${String(n)}.test.ts`,
    );
    const { undrawn } = planStages({ ...selection, files: [...files, ...more], seed: 1 });
    expect(undrawn).toEqual(files.filter(isDrawn));
  });

  it.each([{ named: true }, { everything: true }])('selects all suites with %j', (more) => {
    const plan = planStages({ ...selection, ...more, seed: 1 });
    expect(plan.undrawn).toEqual([]);
    expect(plan.stages.flatMap((stage) => stage.files).filter(isUnitTest)).toEqual([]);
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
