import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { nightlyParts } from './jobs.ts';

interface Workflow {
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly 'runs-on': string;
        readonly container?: unknown;
        readonly services?: unknown;
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

/** An action by commit, with its version. */
const PINNED = /^[\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

/** Returns the actions of a workflow whose content can change: those not named by a commit with a version. */
const unpinned = (text: string): string[] =>
  [...text.matchAll(/\buses['"]?:[ \t]*(.*)$/gm)]
    .map(([, action = '']) => action.trim())
    .filter((action) => !PINNED.test(action));

describe('actions', () => {
  it.each(paths)('%s names each action by commit and version', (path) => {
    expect(unpinned(readFileSync(join(checkout, path), 'utf8'))).toEqual([]);
  });

  const commit = 'a'.repeat(40);
  it.each([
    'actions/checkout@v4',
    'actions/checkout@main # v4.4.0',
    `actions/checkout@${commit}`,
    `actions/checkout@${commit} # v4`,
    `actions/checkout@${commit.slice(1)} # v4.4.0`,
    'docker://alpine:3',
    './.github/actions/own',
  ])('the check rejects %s', (action) => {
    expect(unpinned(`      - uses: ${action}\n      - "uses": ${action}\n`)).toHaveLength(2);
    expect(unpinned(`      - uses: actions/checkout@${commit} # v4.4.0\n`)).toEqual([]);
  });

  it.each(paths)('%s runs no job in a container by tag', (path) => {
    for (const { container, services } of Object.values(read(path).jobs)) {
      expect(container ?? '${{ needs.container.outputs.image }}').toBe(
        '${{ needs.container.outputs.image }}',
      );
      expect(services).toBeUndefined();
    }
  });
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
      cwd: checkout,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
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
