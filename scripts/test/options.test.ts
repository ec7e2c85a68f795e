import { describe, expect, it } from '@jest/globals';
import { JOBS } from './jobs.ts';
import { parseOptions, type TestOptions } from './options.ts';

const [{ name: job }] = JOBS as [(typeof JOBS)[number]];
const parse = (text: string): TestOptions =>
  parseOptions(text.split(' ').filter(Boolean), undefined);

describe('parseOptions', () => {
  it.each<[string, Partial<TestOptions>]>([
    ['', { choice: { kind: 'sample' }, whole: true, checks: true, complete: false }],
    ['--check', { choice: { kind: 'check' }, projects: ['unit'], checks: true, complete: false }],
    ['--all', { choice: { kind: 'all' }, checks: true, complete: true, resume: false }],
    ['--all --resume --shard 2/3', { resume: true, shard: { index: 2, count: 3 } }],
    ['--all e2e/core', { choice: { kind: 'named' }, checks: false, complete: true, whole: false }],
    ['--only e2e -- core', { projects: ['e2e'], patterns: ['core'], checks: false, whole: false }],
    [`--job ${job}`, { choice: { kind: 'job', job }, checks: false, complete: true, whole: true }],
    ['--seed 5', { seed: '5' }],
  ])('parses %j', (text, expected) => {
    expect(parse(text)).toMatchObject(expected);
  });

  it('uses the seed of the environment without the option', () => {
    expect(parseOptions([], '7').seed).toBe('7');
    expect(parseOptions(['--seed', '5'], '7').seed).toBe('5');
  });

  it.each([
    ['--job none', `unknown job; use ${JOBS.map(({ name }) => name).join(', ')}`],
    ['--shard 3', 'such as 1/3'],
    ['--everything', '--everything'],
  ])('names what is wrong in %s', (text, expected) => {
    expect(() => parse(text)).toThrow(expected);
  });
});
