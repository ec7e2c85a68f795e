import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { checkout } from '../../test/embedded-cluster/paths.ts';
import { nightlyParts } from './jobs.ts';

interface Workflow {
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly 'runs-on': string;
        readonly strategy?: { readonly matrix: Readonly<Record<string, unknown>> };
        readonly steps: readonly { readonly run?: string }[];
      }
    >
  >;
}

const read = (path: string): Workflow =>
  load(readFileSync(join(checkout, path), 'utf8')) as Workflow;
const paths = globSync('.github/workflows/*.{yml,yaml}', { cwd: checkout }).sort();
const commandsOf = ({ jobs }: Workflow): string[] =>
  Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));

it.each(paths)('%s passes no expression into a shell command', (path) => {
  expect(commandsOf(read(path)).filter((command) => command.includes('${{'))).toEqual([]);
});

it('the workflow check runs the check on macOS and on Linux on arm64', () => {
  const workflow = read('.github/workflows/check.yaml');
  expect(workflow.jobs['check']?.strategy?.matrix['machine']).toEqual(
    expect.arrayContaining([expect.stringMatching(/^macos-/), expect.stringMatching(/-arm$/)]),
  );
  expect(commandsOf(workflow)).toEqual(['npm run check']);
});

describe('the nightly workflow', () => {
  const path = '.github/workflows/nightly.yaml';

  it('runs the parts that the table of jobs defines, each with its own time', () => {
    const { jobs } = read(path);
    expect(jobs['part']?.strategy?.matrix).toEqual({
      part: '${{ fromJSON(needs.plan.outputs.parts) }}',
    });
    const printed = execFileSync(process.execPath, ['scripts/nightly-parts.ts'], {
      ...{ cwd: checkout, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    });
    expect(printed.trim()).not.toContain('\n');
    expect(JSON.parse(printed)).toEqual(nightlyParts());
  });

  it('stores merged results under the name that the release looks for', () => {
    const release = readFileSync(join(checkout, '.github/workflows/release.yml'), 'utf8');
    expect(readFileSync(join(checkout, path), 'utf8')).toContain(
      'name: results-${{ steps.merge.outputs.tree }}',
    );
    expect(release).toContain('artifacts?name=results-$tree');
  });
});
