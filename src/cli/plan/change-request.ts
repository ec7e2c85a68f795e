/** Reads from the command line which change of a Karmada a command examines. */
import { Option, type Command } from 'commander';
import {
  CROSS_NAMESPACE_SECRETS,
  type CrossNamespaceSecrets,
} from '../../api/secrets/secret-grant.ts';
import { isObject } from '../../kubernetes/objects/compare.ts';
import { parseJsonWithin } from '../../untrusted/documents.ts';
import { UNTRUSTED } from '../../untrusted/limits.ts';
import type { PlanRequest } from '../plan.ts';
import type { ConnectionFlags } from '../program/connect.ts';
import { CommandError, type Environment } from '../program/environment.ts';
import { readInputFile } from '../program/input-file.ts';
import type { Karmada } from '../../api/karmada.ts';
import { placedKarmada, readKarmadaFile } from '../render.ts';

/** Flags of the commands that examine a change. */
export interface ChangeFlags extends ConnectionFlags {
  readonly file?: string;
  readonly patch?: string;
  readonly crossNamespaceSecrets: CrossNamespaceSecrets;
}

/** Adds the options of `ChangeFlags` to a command. */
export const addChangeOptions = (command: Command): Command =>
  command
    .option(
      '-f, --file <file>',
      'file with one Karmada, as for kubectl apply; - is the standard input',
    )
    .option('--patch <json>', 'JSON merge patch, as for kubectl patch --type=merge')
    .addOption(
      new Option('--cross-namespace-secrets <mode>', 'same value as the flag of the operator')
        .choices(CROSS_NAMESPACE_SECRETS)
        .default('Granted'),
    );

/**
 * Reads `-f FILE`, or the name of a Karmada and `--patch`. Without a patch, the present spec is examined.
 * @param accept returns the Karmada in a file, and may validate it
 * @returns the request for the namespace of the connection
 * @throws CommandError for other combinations, and for an invalid patch
 */
export async function changeRequest(
  environment: Pick<Environment, 'input' | 'workingDirectory'>,
  name: string | undefined,
  { file, patch, namespace: required }: Pick<ChangeFlags, 'file' | 'patch' | 'namespace'>,
  accept: (karmada: Karmada) => Karmada,
): Promise<(namespace: string) => PlanRequest> {
  if (file !== undefined && name === undefined && patch === undefined) {
    const given = readKarmadaFile(await readInputFile(environment, file), file);
    return (fallback) => ({ given: accept(placedKarmada(given, file, { required, fallback })) });
  }
  if (file === undefined && name !== undefined) {
    const change = parsePatch(patch ?? '{}');
    return (namespace) => ({ name, namespace, patch: change });
  }
  throw new CommandError(
    'specify either -f FILE, or the name of a Karmada, optionally with --patch',
  );
}

/** @throws CommandError if the text is no JSON object */
function parsePatch(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed = parseJsonWithin(text, { size: UNTRUSTED.storedObject });
    if (isObject(parsed)) return parsed;
  } catch {
    // The error below reports invalid JSON too.
  }
  throw new CommandError(
    '--patch: not a JSON object; write it like {"spec":{"version":"v1.18.2"}}',
  );
}
