import { describe, expect, it } from '@jest/globals';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { JOBS } from './jobs.ts';
import { filesOf, matchingFiles, projects } from './stages.ts';
import { parseSuite, readSuites, suiteOf } from './suites.ts';

describe('suiteOf', () => {
  it.each([
    ['test/e2e/operator-crash.test.ts', 'e2e/operator-crash'],
    ['test/integration/kubernetes/apply.test.ts', 'integration/kubernetes/apply'],
    ['src/api/naming.test.ts', 'src/api/naming'],
  ])('names the suite of %s', (file, suite) => {
    expect(suiteOf(file)).toBe(suite);
  });
});

describe('parseSuite', () => {
  const e2e = 'test/e2e/new.test.ts';
  const text = (...pragmas: string[]): string =>
    ['/**', ' * About it.', ' *', ...pragmas.map((one) => ` * @${one}`), ' */', 'code'].join('\n');

  it.each([
    [e2e, { tier: 'drawn', size: 'medium', sample: 'medium' }],
    ['test/integration/new.test.ts', { tier: 'always', size: 'small', sample: 'small' }],
    ['src/new.test.ts', { tier: 'always', size: 'small', sample: 'small' }],
  ])('has defaults for %s without pragmas', (file, expected) => {
    for (const content of ['code', text()])
      expect(parseSuite(file, content)).toEqual({
        file,
        alone: false,
        job: undefined,
        ...expected,
      });
  });

  it.each([
    [['size large'], { size: 'large', sample: 'large', tier: 'drawn' }],
    [['size enormous', 'sample small'], { size: 'enormous', sample: 'small' }],
    [['tier always'], { tier: 'always', size: 'medium' }],
    [['alone'], { alone: true }],
    [['job peer'], { tier: 'job', job: 'peer' }],
    [['tier drawn', 'job peer'], { tier: 'drawn', job: 'peer' }],
    [['jest-environment node', 'tier all'], { tier: 'all' }],
  ])('parses %j', (pragmas, expected) => {
    expect(parseSuite(e2e, text(...pragmas))).toMatchObject(expected);
  });

  it.each([
    ['src/long.test.ts', 'test'],
    ['src/short.test.ts', 'always'],
  ])('has unit tests that `npm run check` leaves out: %s, tier %s', (file, tier) => {
    expect(parseSuite(file, text(`tier ${tier}`))).toMatchObject({ tier });
    expect(() => parseSuite(file, text('tier drawn'))).toThrow('@tier drawn: unknown value');
  });

  it.each([
    ['tier test', '@tier test: unknown value'],
    ['size huge', '@size huge: unknown value'],
    ['sample 5', '@sample 5: unknown value'],
    ['tier job', '@tier job: unknown value'],
    ['sise small', 'unknown @sise; known are @size'],
  ])('names the file and the pragma when it has @%s', (pragma, expected) => {
    expect(() => parseSuite(e2e, text(pragma))).toThrow(`${e2e}: ${expected}`);
  });
});

describe('the suites of this repository', () => {
  const suites = readSuites(checkout, matchingFiles(checkout, projects, []));

  it('always run an installation, an upgrade, a remote host cluster and changes of etcd members', () => {
    const always = suites.filter(({ tier, file }) => tier === 'always' && /\/e2e\//.test(file));
    const names = ['core', 'etcd-scaling', 'remote-host', 'upgrade'];
    expect(always.map(({ file }) => suiteOf(file))).toEqual(names.map((name) => `e2e/${name}`));
  });

  it('are in jobs that exist, and always in `npm test` if they are unit tests', () => {
    const jobs = new Set(suites.flatMap(({ job }) => job ?? []));
    expect(JOBS.map(({ name }) => name)).toEqual(expect.arrayContaining([...jobs]));
    const unit = new Set(filesOf(checkout, 'unit'));
    const tiers = suites.flatMap(({ file, tier }) => (unit.has(file) ? [tier] : []));
    expect(new Set(tiers)).toEqual(new Set(['always', 'test']));
  });
});
