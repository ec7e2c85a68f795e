import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { JOBS, nightlyParts } from './jobs.ts';
import { matchingFiles, projects } from './stages.ts';
import { readSuites } from './suites.ts';

const { scripts } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8')) as {
  scripts: Readonly<Record<string, string>>;
};

describe('jobs', () => {
  it.each(JOBS)(
    '$name has a command, at most 150 minutes, and an entry in the documents',
    async (job) => {
      const { name, minutes, description } = job;
      expect(scripts[`test:${name}`]).toMatch(new RegExp(`(?:job\\.ts|--job) ${name}$`));
      expect(minutes).toBeLessThanOrEqual(150);
      const text = await readFile(join(checkout, 'docs/contribute/testing.md'), 'utf8');
      const cells = [`\`npm run test:${name}\``, `${String(minutes)} min`, description];
      expect(text.replaceAll(/ +/g, ' ')).toContain(`| ${cells.join(' | ')} |`);
    },
  );

  it.each(JOBS)('$name has either a program or suites', ({ name, program }) => {
    const suites = readSuites(checkout, matchingFiles(checkout, projects, []));
    const own = suites.filter(({ job }) => job === name);
    expect(own.length > 0).toBe(program === undefined);
  });
});

describe('nightlyParts', () => {
  const parts = nightlyParts();

  it('has all shards of a complete run, and every job', () => {
    const shards = parts.flatMap(
      ({ run }) => /^test:all -- --shard (\d+\/\d+)$/.exec(run)?.[1] ?? [],
    );
    const count = shards.length;
    expect(shards).toEqual(shards.map((_, at) => `${String(at + 1)}/${String(count)}`));
    expect(count).toBeGreaterThan(0);
    const others = parts.map(({ run }) => run).filter((run) => !run.startsWith('test:all'));
    expect(others).toEqual(JOBS.map(({ name }) => `test:${name}`));
  });

  it('starts only commands that exist, with names that differ', () => {
    for (const { run } of parts) expect(Object.keys(scripts)).toContain(run.split(' ')[0]);
    expect(new Set(parts.map(({ name }) => name)).size).toBe(parts.length);
  });
});
