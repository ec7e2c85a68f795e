import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { runSeconds, SERVER_SECONDS } from './budget.ts';
import {
  filesOf,
  matchingFiles,
  planStages,
  type PlannedSuite,
  type SuiteRequest,
} from './stages.ts';
import { isClusterTest, isUnitTest, parseSuite, readSuites, suiteOf } from './suites.ts';

const servers = readSuites(
  checkout,
  (['integration', 'e2e'] as const).flatMap((project) => filesOf(checkout, project)),
);
const request: SuiteRequest = {
  suites: servers,
  choice: { kind: 'sample' },
  seed: 1,
  complete: false,
  memory: 24e9,
};

const plan = (more: Partial<SuiteRequest>): PlannedSuite[] =>
  planStages({ ...request, ...more }).flatMap(({ suites }) => suites);
const filesIn = (suites: readonly { file: string }[]): string[] => suites.map(({ file }) => file);
const always = filesIn(servers.filter(({ tier }) => tier === 'always'));
const drawn = filesIn(servers.filter(({ tier }) => tier === 'drawn'));
/** Suites of every run. */
const fixed = always.filter(isClusterTest);
const seeds = Array.from({ length: 100 }, (_, seed) => seed);

describe('matchingFiles', () => {
  it('returns the files whose path contains a pattern', () => {
    expect(matchingFiles(checkout, ['e2e'], ['e2e/core', 'nothing'])).toEqual([
      'test/e2e/core.test.ts',
    ]);
  });
});

describe('planStages for npm test', () => {
  it('has the suites in a cluster that always run, and others of both kinds that fit into the time', () => {
    for (const seed of seeds) {
      const suites = plan({ seed });
      const files = filesIn(suites);
      expect(files).toEqual(expect.arrayContaining(fixed));
      const others = files.filter((file) => !fixed.includes(file));
      expect([...always, ...drawn]).toEqual(expect.arrayContaining(others));
      expect(others.filter(isClusterTest).length).toBeGreaterThan(0);
      expect(others.filter((file) => !isClusterTest(file)).length).toBeGreaterThan(10);
      expect(runSeconds(suites)).toBeLessThanOrEqual(SERVER_SECONDS);
    }
  });

  it('has the same suites for the same seed, and every suite for some seed', () => {
    expect(plan({ seed: 5 })).toEqual(plan({ seed: 5 }));
    const many = Array.from({ length: 400 }, (_, seed) => seed);
    const seen = new Set(many.flatMap((seed) => filesIn(plan({ seed }))));
    expect([...always, ...drawn].filter((file) => !seen.has(file))).toEqual([]);
  });

  it('keeps time for drawn suites in a cluster, however many integration tests there are', () => {
    const more = Array.from(
      { length: 400 },
      (_, n) => `test/integration/more-${String(n)}.test.ts`,
    );
    const suites = [...servers, ...more.map((file) => parseSuite(file, ''))];
    const one = filesIn(plan({ suites, seed: 1 }));
    expect(one.filter(isClusterTest).length).toBeGreaterThan(fixed.length);
    expect(one.length).toBeLessThan(suites.length);
    expect(filesIn(plan({ suites, seed: 2 }))).not.toEqual(one);
  });

  it('gives a sampled suite less time than a complete one', () => {
    const seconds = (complete: boolean): number =>
      plan({ choice: { kind: 'named' }, complete }).reduce((sum, suite) => sum + suite.seconds, 0);
    expect(seconds(false)).toBeLessThan(seconds(true));
  });
});

describe('planStages', () => {
  const unit = readSuites(checkout, filesOf(checkout, 'unit').slice(0, 3));
  const inJob = parseSuite('test/e2e/long.test.ts', '/** @job long */');
  const drawnInJob = parseSuite('test/e2e/longer.test.ts', '/** @job longer\n * @tier drawn */');
  const suites = [...unit, ...servers, inJob, drawnInJob];
  const all: Partial<SuiteRequest> = { suites, choice: { kind: 'all' }, complete: true };
  const inNoJob = [...unit, ...servers.filter(({ job }) => job === undefined)];

  it('has every suite that is in no job for a complete run', () => {
    expect(filesIn(plan(all)).sort()).toEqual(filesIn(inNoJob).sort());
  });

  it('has unit tests that are not long for a check', () => {
    const long = parseSuite('src/long.test.ts', '/** @tier test */');
    const given = { suites: [...suites, long] };
    expect(filesIn(plan({ ...given, choice: { kind: 'check' } }))).toEqual(filesIn(unit));
    for (const kind of ['sample', 'all'] as const)
      expect(filesIn(plan({ ...given, choice: { kind } }))).toContain(long.file);
  });

  it('has the suites of a job for that job, and all suites that the user named', () => {
    const found = plan({ ...all, choice: { kind: 'job', job: 'long' } });
    expect(filesIn(found)).toEqual([inJob.file]);
    expect(filesIn(plan({ suites: [inJob], choice: { kind: 'named' } }))).toEqual([inJob.file]);
  });

  it('has unit tests only in the first shard, and each other suite in one', () => {
    const shards = [1, 2, 3].map((index) => filesIn(plan({ ...all, shard: { index, count: 3 } })));
    expect(shards.flat().sort()).toEqual(filesIn(inNoJob).sort());
    expect(shards.map((files) => files.filter(isUnitTest).length)).toEqual([3, 0, 0]);
  });

  it('leaves out suites that passed, without moving others to another shard', () => {
    const shard = { index: 1, count: 3 };
    const before = filesIn(plan({ ...all, shard }));
    const passed = new Set(before.slice(0, 5).map(suiteOf));
    expect(filesIn(plan({ ...all, shard, passed }))).toEqual(before.slice(5));
  });

  it('runs suites that inspect the whole machine one after the other at the end', () => {
    const stages = planStages({ ...request, ...all });
    expect(stages.map(({ name, workers }) => [name, workers])).toEqual([
      ['unit', 2],
      ['servers', 3],
      ['alone', 1],
    ]);
    expect(filesIn(stages[2]?.suites ?? [])).toContain('test/e2e/lifecycle.test.ts');
  });

  it.each([
    ['all', 24e9, 3],
    ['all', 8e9, 2],
    ['sample', 24e9, 2],
    ['named', 24e9, 1],
  ] as const)(
    'runs suites of kind %s with %d bytes of memory in %d clusters',
    (kind, memory, workers) => {
      const stages = planStages({ ...request, choice: { kind }, memory });
      expect(stages.find(({ name }) => name === 'servers')?.workers).toBe(workers);
    },
  );
});

describe('suites that draw cases', () => {
  const draws = (file: string): boolean =>
    /\b(?:drawn|spread|selectCases)\(|\brunsAll\b/.test(readFileSync(join(checkout, file), 'utf8'));

  it('are the only ones with a size for the drawn cases', () => {
    const sampled = servers.filter(({ size, sample }) => size !== sample);
    expect(filesIn(sampled).filter((file) => !draws(file))).toEqual([]);
  });
});
