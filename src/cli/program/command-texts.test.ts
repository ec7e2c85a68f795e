import { describe, expect, it } from '@jest/globals';
import type { Option } from 'commander';
import { documentedProgram } from '../../../scripts/docs/cli-page.ts';
import { examplesOf } from './command-texts.ts';

const program = documentedProgram();
const { commands } = program;

describe('help', () => {
  it('lists the commands in groups, those that inspect first', () => {
    const headings = program.helpInformation().match(/^[A-Z][\w ]+:$/gm);
    expect(headings).toEqual([
      'Options:',
      'Inspect control planes:',
      'Prepare an installation or a change:',
      'Change control planes:',
      'Back up and restore:',
      'Access control planes and join member clusters:',
      'This plugin:',
    ]);
  });

  it.each(commands.map((command) => [command.name(), command] as const))(
    'of %s has a summary without a full stop, and examples of that command',
    (name, command) => {
      expect(command.description()).toMatch(/^[A-Z].*[^.]$/);
      const examples = examplesOf(command);
      expect(examples.length).toBeGreaterThan(0);
      for (const example of examples)
        expect(example.startsWith(`kubectl karmada-operator ${name}`)).toBe(true);
    },
  );
});

describe('flags', () => {
  const options: readonly (readonly [string, Option])[] = commands.flatMap((command) =>
    command.options.map((option) => [command.name(), option] as const),
  );

  it.each(['-A', '-c', '-n', '-o', '-p', '-w', '-y'])('%s has one meaning', (short) => {
    const all = [...options.map(([, option]) => option), ...program.options];
    const found = all.filter((option) => option.short === short);
    expect(new Set(found.map(({ long }) => long)).size).toBe(1);
  });

  it('-f is a file, except in logs, where it is that of kubectl logs', () => {
    const files = options.filter(([, { short }]) => short === '-f');
    const other = files.filter(([, { long }]) => long !== '--file').map(([name]) => name);
    expect(other).toEqual(['logs']);
  });

  it.each(['--output', '--yes', '--dry-run', '--crds', '--no-wait'])(
    '%s takes the same value in all commands',
    (long) => {
      const found = options.filter(([, option]) => option.long === long);
      expect(found.length).toBeGreaterThan(1);
      const forms = found.map(([, { flags, argChoices = [] }]) => [flags, ...argChoices].join(' '));
      expect(new Set(forms).size).toBe(1);
    },
  );
});
