/** Completes command lines from the command tree. */
import type { Command, Option } from 'commander';

/** A proposal with its description. */
export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** What a word of the command line may be. */
export type Completion =
  | { readonly kind: 'candidates'; readonly candidates: readonly Candidate[] }
  /** The shell completes file names. */
  | { readonly kind: 'files' }
  /** Value of an argument or flag with this name, such as `name`, of this command. */
  | {
      readonly kind: 'value';
      readonly of: string;
      readonly command: string;
      readonly flags: Readonly<Record<string, string>>;
    };

const NOTHING: Completion = { kind: 'candidates', candidates: [] };

const FILE_VALUE = /<(file|directory)>/;

/**
 * Completes the last word.
 * @param words after the name of the program; the last one may be empty
 */
export function complete(program: Command, words: readonly string[]): Completion {
  const earlier = words.slice(0, -1);
  const current = words.at(-1) ?? '';
  if (earlier.includes('--')) return NOTHING;
  const { command, positional, pending, flags } = scan(program, earlier);
  if (pending !== undefined) return flagValue(pending, current, command.name(), flags);
  if (current.startsWith('-')) return starting(current, optionsOf(program, command).flatMap(names));
  if (command === program)
    return starting(
      current,
      visible(program).map((one) => ({ value: one.name(), description: one.description() })),
    );
  const args = command.registeredArguments;
  const argument = args[positional] ?? args.find(({ variadic }) => variadic);
  if (argument === undefined) return NOTHING;
  return { kind: 'value', of: argument.name(), command: command.name(), flags };
}

interface Scanned {
  readonly command: Command;
  /** Number of arguments of the command. */
  readonly positional: number;
  /** Flag whose value is the next word. */
  readonly pending: Option | undefined;
  /** Values of flags, by the name of the attribute. */
  readonly flags: Readonly<Record<string, string>>;
}

function scan(program: Command, words: readonly string[]): Scanned {
  let command = program;
  let positional = 0;
  let pending: Option | undefined;
  const flags: Record<string, string> = {};
  for (const word of words) {
    if (pending !== undefined) {
      flags[pending.attributeName()] = word;
      pending = undefined;
    } else if (word.startsWith('-')) {
      const [name = '', value] = word.split(/=(.*)/s);
      const option = optionNamed(program, command, name);
      if (option !== undefined && value !== undefined) flags[option.attributeName()] = value;
      else if (option?.required === true) pending = option;
    } else if (command === program) {
      command = commandNamed(program, word);
    } else positional += 1;
  }
  return { command, positional, pending, flags };
}

const optionNamed = (program: Command, command: Command, name: string): Option | undefined =>
  optionsOf(program, command).find(({ long, short }) => long === name || short === name);

const commandNamed = (program: Command, word: string): Command =>
  visible(program).find((one) => [one.name(), ...one.aliases()].includes(word)) ?? program;

const visible = (program: Command): readonly Command[] =>
  program.createHelp().visibleCommands(program);

const optionsOf = (program: Command, command: Command): readonly Option[] => [
  ...new Set([...command.createHelp().visibleOptions(command), ...program.options]),
];

const names = ({ long, description }: Option): readonly Candidate[] =>
  long === undefined || long === null ? [] : [{ value: long, description }];

function flagValue(
  option: Option,
  current: string,
  command: string,
  flags: Scanned['flags'],
): Completion {
  const { argChoices } = option;
  if (argChoices !== undefined)
    return starting(
      current,
      argChoices.map((value) => ({ value, description: '' })),
    );
  if (FILE_VALUE.test(option.flags)) return { kind: 'files' };
  return { kind: 'value', of: option.attributeName(), command, flags };
}

/** Candidates that start with the word. */
export const starting = (word: string, candidates: readonly Candidate[]): Completion => ({
  kind: 'candidates',
  candidates: candidates.filter(({ value }) => value.startsWith(word)),
});
