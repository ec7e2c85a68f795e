/** Command `completion`, and the completion of a command line. */
import { Argument, type Command } from 'commander';
import { RELEASES } from '../../api/releases/releases.ts';
import { LEAVES } from '../../pki/inventory.ts';
import { ALL_LEAVES } from '../../pki/rotate-request.ts';
import { COMPONENT_NAMES } from '../program/component.ts';
import { listBackups } from '../backup/read-backups.ts';
import { withConnection, type Connection } from '../program/connect.ts';
import type { Environment } from '../program/environment.ts';
import { listKarmadas } from '../program/karmada.ts';
import { complete, starting, type Completion } from './complete.ts';
import { COMPLETION_SCRIPTS } from './scripts.ts';

/** Directives of cobra, the library of kubectl: complete file names, or nothing else. */
const FILES = ':0';
const NO_FILES = ':4';

/** Adds the command `completion`. */
export function addCompletion(program: Command, environment: Environment): void {
  const { output } = environment;
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'shell').choices(Object.keys(COMPLETION_SCRIPTS)))
    .action((shell: string) => output.write(COMPLETION_SCRIPTS[shell] ?? ''));
}

/** Name of the command that shells call, and kubectl through `kubectl_complete-karmada_operator`. */
export const COMPLETE = '__complete';

/**
 * Completes the last word, in the protocol of cobra, the library of kubectl: one candidate and its description per line,
 * then a directive. It is not part of the command tree, because its words are those of another command line.
 */
export async function completeWords(
  program: Command,
  words: readonly string[],
  environment: Environment,
): Promise<void> {
  const found = await withValues(environment, complete(program, words), words.at(-1) ?? '');
  const candidates = found.kind === 'candidates' ? found.candidates : [];
  const lines = candidates.map(({ value, description }) =>
    description === '' ? value : `${value}\t${description}`,
  );
  environment.output.write([...lines, found.kind === 'files' ? FILES : NO_FILES, ''].join('\n'));
}

const plain = (values: readonly string[]): { value: string; description: string }[] =>
  values.map((value) => ({ value, description: '' }));

/** Replaces a value by its candidates. Errors give none: a completion must not print them. */
async function withValues(
  environment: Environment,
  found: Completion,
  word: string,
): Promise<Completion> {
  if (found.kind !== 'value') return found;
  switch (found.of) {
    case 'component':
      return starting(word, plain(COMPONENT_NAMES));
    case 'certificate':
      return starting(word, plain([ALL_LEAVES, ...LEAVES.map(({ name }) => name)]));
    case 'version':
      return starting(word, plain(RELEASES.map(({ release }) => release)));
    case 'shell':
      return starting(word, plain(Object.keys(COMPLETION_SCRIPTS)));
    case 'name':
      return starting(word, plain(await karmadaNames(environment, found.flags)));
    case 'backup':
      return starting(word, plain(await backupNames(environment, found.flags)));
    default:
      return starting(word, []);
  }
}

const karmadaNames = (
  environment: Environment,
  flags: Readonly<Record<string, string>>,
): Promise<readonly string[]> =>
  namesIn(environment, flags, (connection) => listKarmadas(connection, false));

const backupNames = (
  environment: Environment,
  flags: Readonly<Record<string, string>>,
): Promise<readonly string[]> =>
  namesIn(environment, flags, (connection) => listBackups(connection, undefined));

async function namesIn(
  environment: Environment,
  flags: Readonly<Record<string, string>>,
  list: (
    connection: Connection,
  ) => Promise<readonly { readonly metadata: { readonly name: string } }[]>,
): Promise<readonly string[]> {
  try {
    const found = await withConnection(environment, flags, list);
    return found.map(({ metadata }) => metadata.name);
  } catch {
    return [];
  }
}
