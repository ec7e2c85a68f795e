/** Page docs/reference/cli.md: commands and flags of the kubectl plugin. */
import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { examplesOf, exitCodesOf } from '../../src/cli/program/command-texts.ts';
import type { Environment } from '../../src/cli/program/environment.ts';
import { pluginProgram } from '../../src/cli/program/program.ts';
import { safeOutput } from '../../src/cli/program/safe-output.ts';
import { systemClock } from '../../src/kubernetes/time/clock.ts';
import { code, escaped, page, table } from './markdown.ts';

const INTRODUCTION = [
  'Commands of the kubectl plugin.',
  '[Use the kubectl plugin](../operate/cli.md) describes how to install it, with examples of the output.',
  'The program ends with exit code 0, or with 1 after an error; check, plan and status have',
  '[further exit codes](../operate/cli.md#use-the-plugin-in-ci).',
].join(' ');

const nothing = safeOutput({ write: () => undefined, isTerminal: false });

/** Environment for a program whose commands do not run. */
const UNUSED: Environment = {
  version: '',
  variables: {},
  homeDirectory: '',
  workingDirectory: '',
  output: nothing,
  errors: nothing,
  input: () => Promise.resolve(''),
  ask: () => Promise.resolve(undefined),
  runProgram: () => Promise.resolve(1),
  clock: systemClock,
  interrupted: new AbortController().signal,
  templates: () => () => [],
  crdArchive: () => Promise.resolve(Readable.from([])),
  fieldSchemas: () => Promise.reject(new Error('not used')),
};

/** What an argument and an option may have. */
interface Values {
  readonly argChoices?: readonly string[] | undefined;
  readonly defaultValue?: unknown;
}

function row(flags: string, description: string, more: Values = {}): readonly string[] {
  const choices = more.argChoices?.map(code).join(' or ');
  const text = escaped(description) + (choices === undefined ? '' : `: ${choices}`);
  const value = more.defaultValue === undefined ? '' : String(more.defaultValue);
  return [code(flags), text, value === '' ? '' : code(value)];
}

function section(program: Command, command: Command): readonly string[] {
  const help = command.createHelp();
  const usage = `${program.name()} ${command.name()} ${command.usage()}`;
  const args = command.registeredArguments.map((argument) => {
    const { required, variadic, description } = argument;
    const name = `${argument.name()}${variadic ? '...' : ''}`;
    return row(required ? `<${name}>` : `[${name}]`, description, argument);
  });
  const options = help
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help')
    .map((option) => row(option.flags, option.description, option));
  const rows = [...args, ...options];
  const exitCodes = exitCodesOf(command).map(([exit, meaning]) => [code(exit), escaped(meaning)]);
  return [
    `## ${command.name()}`,
    `${command.description()}.`,
    `\`\`\`text\n${[usage, '', ...examplesOf(command)].join('\n')}\n\`\`\``,
    ...(rows.length === 0 ? [] : [table(['Argument or flag', 'Meaning', 'Default'], rows)]),
    ...(exitCodes.length === 0 ? [] : [table(['Exit code', 'Meaning'], exitCodes)]),
  ];
}

/** Returns the program, only to read its commands and flags. */
export function documentedProgram(): Command {
  return pluginProgram(UNUSED);
}

/** Returns the page, not formatted. */
export function cliPage(): string {
  const program = documentedProgram();
  const global = program.options.map((option) => row(option.flags, option.description, option));
  const visible = program.createHelp().visibleCommands(program);
  return page('Commands of the kubectl plugin', [
    INTRODUCTION,
    '## Flags of all commands',
    table(['Flag', 'Meaning', 'Default'], global),
    ...visible.flatMap((command) => section(program, command)),
  ]);
}
