import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { fencedCommands } from '../../test/docs/markdown-commands.ts';
import { CHECKS } from './checks.ts';
import { COMMANDS, type Place } from './commands.ts';
import { JOBS } from './jobs.ts';

const read = (path: string): string => readFileSync(join(checkout, path), 'utf8');
const { scripts } = JSON.parse(read('package.json')) as {
  scripts: Readonly<Record<string, string>>;
};
const START = 'node scripts/run.mjs ';

/** Commands that a suite starts: those in its code, and for the suite of the README those of its pages. */
const textOf = (suite: string): string =>
  suite === 'e2e/readme'
    ? ['README.md', 'CONTRIBUTING.md']
        .flatMap((page) => fencedCommands(read(page), 'sh'))
        .join('\n')
    : read(`test/${suite}.test.ts`);

/** Returns whether a script starts at its place. */
function isAt(name: string, place: Place): boolean {
  const [program = '', ...args] = (scripts[name] ?? '').replace(START, '').split(' ');
  if ('tier' in place) return program === 'scripts/test.ts' && args.join() === place.tier.join();
  if ('check' in place) return CHECKS[place.check]?.[0] === program;
  if ('job' in place)
    return JOBS.some((job) => job.name === place.job && name === `test:${job.name}`);
  const text = textOf(place.suite);
  return new RegExp(`npm run (?:-s )?${name}(?![\\w:-])`).test(text) || text.includes(program);
}

describe('npm scripts', () => {
  it('run somewhere, all of them', () => {
    expect(Object.keys(COMMANDS).sort()).toEqual(Object.keys(scripts).sort());
  });

  it.each(Object.entries(COMMANDS))('%s runs at its place', (name, place) => {
    expect(scripts[name]).toMatch(new RegExp(`^${START}`));
    expect(isAt(name, place)).toBe(true);
  });

  it('are found at no place that does not start them', () => {
    const wrong: [string, Place][] = [
      ['demo', { suite: 'integration/commands' }],
      ['site', { check: 'lint' }],
      ['test', { tier: ['--all'] }],
      ['lint', { job: 'peer' }],
    ];
    for (const [name, place] of wrong) expect(isAt(name, place)).toBe(false);
  });
});
