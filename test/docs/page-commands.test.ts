/** Commands of the pages of users: each runs in a test, or its section says that it does not. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { documentedProgram } from '../../scripts/docs/cli-page.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { fencedCommands, sectionOf } from './markdown-commands.ts';
import { PAGE_COMMANDS, type Run } from './page-commands.ts';

const read = (file: string): string => readFileSync(join(checkout, file), 'utf8');

/** Pages of users, without generated ones. */
const pages = execFileSync(
  'git',
  ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md'],
  { cwd: checkout, encoding: 'utf8' },
)
  .split('\0')
  .filter((file) => file !== '' && existsSync(join(checkout, file)))
  .filter(
    (file) =>
      !/^docs\/(?:adr|contribute|reference)\/|^(?:CHANGELOG|CONTRIBUTING)\.md|^site\//.test(file),
  );

interface PageCommand {
  readonly page: string;
  readonly command: string;
  /** Texts that may say that no test runs the command: the beginning of the page, and the section of the command. */
  readonly marks: readonly string[];
}

/** First words of commands. Other lines of a block are output. */
const PROGRAM =
  /^(?:(?:kubectl|helm|docker|ctr|etcdctl|karmadactl|openssl|sha256sum|sudo|tar|jq|source|oc|kind|minikube|k3d) |[a-z]+=\$\()/;
/** Commands that change nothing. */
const READS =
  /^kubectl (?:(?:-n|--namespace|--kubeconfig|--context) \S+ )*(?:get|wait|logs|events|explain|rollout status|config view)\b|^helm get\b/;
const PLUGIN = /^(?:[A-Z]+=\$\()?kubectl karmada-operator ([a-z-]+)/;

function commandsOf(page: string): PageCommand[] {
  const sections = read(page).split(/^(?=#{2,4} )/m);
  const [beginning = ''] = sections;
  return sections.flatMap((section) => {
    const flat = section.replaceAll(/^ +(?=\S)/gm, '');
    return fencedCommands(flat, 'text')
      .map((command) => command.replaceAll(/\s*\\\n\s*/g, ' ').trim())
      .filter((command) => PROGRAM.test(command) || PLUGIN.test(command))
      .map((command) => ({ page, command, marks: [beginning, section] }));
  });
}

const isMarked = (text: string): boolean => /\bNot\s+run\s+here:\s+\S/.test(text);

const all = pages.flatMap(commandsOf);
const listed = all.filter(({ command }) => !READS.test(command) && !PLUGIN.test(command));

const runOf = ({ page, command }: PageCommand): readonly Run[] =>
  Object.entries(PAGE_COMMANDS[page] ?? {})
    .filter(([start]) => command.startsWith(start))
    .map(([, run]) => run);

describe('commands of pages', () => {
  it('are listed with the test that runs them, if they change something', () => {
    expect(listed.length).toBeGreaterThan(70);
    const missing = listed.filter((one) => runOf(one).length === 0);
    expect(missing.map(({ page, command }) => `${page}: ${command}`)).toEqual([]);
  });

  it('exist, if they are listed', () => {
    const stale = Object.entries(PAGE_COMMANDS).flatMap(([page, commands]) =>
      Object.keys(commands)
        .filter(
          (start) => !listed.some((one) => one.page === page && one.command.startsWith(start)),
        )
        .map((start) => `${page}: ${start}`),
    );
    expect(stale).toEqual([]);
  });

  it('name tests that exist', () => {
    const tests = Object.values(PAGE_COMMANDS)
      .flatMap((commands) => Object.values(commands))
      .flatMap((run) => ('test' in run ? [run.test] : []));
    expect(tests.filter((test) => !existsSync(join(checkout, test)))).toEqual([]);
  });

  it('are marked in their section, with the reason, if no test runs them', () => {
    const unmarked = listed.filter(
      (one) => runOf(one).some((run) => 'notRun' in run) && !one.marks.some(isMarked),
    );
    expect(unmarked.map(({ page, command }) => `${page}: ${command}`)).toEqual([]);
  });
});

describe('pages of providers', () => {
  const providers = pages.filter((page) => page.startsWith('docs/providers/'));

  it.each(providers)('say at their beginning that they were not run here, and why: %s', (page) => {
    const [beginning = ''] = read(page).split(/^## /m);
    expect(isMarked(beginning)).toBe(true);
  });

  it('exist for the providers and programs that users ask for', () => {
    const titles = providers.map((page) => /^# (.+)$/m.exec(read(page))?.[1]).join('\n');
    const expected = ['Google', 'Amazon', 'Azure', 'OpenShift', 'K3s', 'kind', 'minikube', 'k3d'];
    expect(expected.filter((name) => !titles.includes(name))).toEqual([]);
  });
});

describe('quickstart', () => {
  it('of the site has the commands that join and propagate of the README, in the same order', () => {
    const steps = fencedCommands(sectionOf(read('README.md'), 'Quickstart'), 'sh').map((command) =>
      command.replaceAll(/\n +/g, '\n'),
    );
    const joined = steps.slice(steps.findIndex((command) => command.includes('karmadactl join')));
    expect(joined.length).toBeGreaterThan(6);
    const page = read('docs/quickstart.md').replaceAll(/^ +(?=\S)/gm, '');
    const onSite = fencedCommands(page, 'text');
    expect(onSite.filter((command) => joined.includes(command))).toEqual(joined);
  });
});

describe('commands of the kubectl plugin', () => {
  const verbs = documentedProgram().commands.map((command) => command.name());
  const shown = new Set(all.flatMap(({ command }) => PLUGIN.exec(command)?.[1] ?? []));

  it('have all a page that shows them', () => {
    const text = pages.map(read).join('\n');
    const missing = verbs.filter(
      (verb) => !new RegExp(`kubectl[ -]karmada[-_]operator ${verb}\\b`).test(text),
    );
    expect(missing).toEqual([]);
    expect([...shown].filter((verb) => !verbs.includes(verb))).toEqual([]);
  });

  it('have all a test that runs them', () => {
    const suites = globSync(['test/integration/cli/*.ts', 'test/e2e/*.test.ts'], { cwd: checkout });
    const text = suites.map(read).join('\n');
    const untested = verbs.filter((verb) => !new RegExp(`[\`'" ]${verb}[\`'" ]`).test(text));
    expect(untested).toEqual([]);
  });
});
