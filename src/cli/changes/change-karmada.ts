/** Changes a Karmada as decided from its present state, and says what was changed. */
import { GROUP, type Karmada } from '../../api/karmada.ts';
import { karmadas } from '../../host-clusters/host.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { isStatus } from '../../kubernetes/client/errors.ts';
import type { Connection, ConnectionFlags } from '../program/connect.ts';
import { CommandError, type Environment } from '../program/environment.ts';
import { readKarmada } from '../program/karmada.ts';
import { printable } from '../program/text.ts';

/** Flags of all commands that change a Karmada. */
export interface ChangeFlags extends ConnectionFlags {
  readonly dryRun?: boolean;
}

/** What a change uses. */
export interface ChangeTools {
  readonly environment: Pick<Environment, 'output'>;
  readonly connection: Pick<Connection, 'namespace'> & {
    readonly client: Pick<KubernetesClient, 'get' | 'patch'>;
  };
  readonly flags: Pick<ChangeFlags, 'dryRun'>;
}

/** What a command does to a Karmada. */
export interface Decision {
  /** Merge patch; absent if there is nothing to change. */
  readonly patch?: { readonly spec?: object; readonly metadata?: object };
  /** What the operator does after the change, printed before it. */
  readonly effect?: readonly string[];
  /** Words that follow the name of the Karmada, such as `suspended`. */
  readonly done: string;
}

/** Field manager of the changes. */
const FIELD_MANAGER = 'kubectl-karmada-operator';

/** Attempts of a change: the operator updates the status at the same time, and the change must fit to what was read. */
const ATTEMPTS = 5;

/**
 * Reads a Karmada, decides, prints the effect, and patches exactly the version that was read.
 * @param decide pure; throws CommandError if the change makes no sense
 * @throws CommandError for a Karmada that is being deleted; ApiError, such as 409 if the Karmada changes all the time
 */
export async function changeKarmada(
  tools: ChangeTools,
  name: string,
  decide: (karmada: Karmada) => Decision,
): Promise<void> {
  const { output } = tools.environment;
  const printed = new Set<string>();
  const announce = (line: string): void => {
    if (!printed.has(line)) output.write(`${printable(line)}\n`);
    printed.add(line);
  };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const karmada = await readKarmada(tools.connection, name);
      return await changeOnce({ ...tools, announce }, karmada, decide);
    } catch (error) {
      if (!isStatus(error, 409) || attempt === ATTEMPTS) throw error;
    }
  }
}

interface AnnouncingTools extends ChangeTools {
  /** Prints a line once, although the change may be repeated. */
  readonly announce: (line: string) => void;
}

async function changeOnce(
  { environment, connection, flags, announce }: AnnouncingTools,
  karmada: Karmada,
  decide: (karmada: Karmada) => Decision,
): Promise<void> {
  const { namespace } = connection;
  const { name, resourceVersion } = karmada.metadata;
  const dryRun = flags.dryRun === true;
  const { patch, effect = [], done } = decide(karmada);
  if (patch !== undefined) {
    effect.forEach(announce);
    const metadata = { ...patch.metadata, resourceVersion };
    const options = { fieldManager: FIELD_MANAGER, dryRun };
    await connection.client.patch(karmadas, { namespace, name }, { ...patch, metadata }, options);
  }
  const note = dryRun ? DRY_RUN_NOTE : '';
  environment.output.write(`karmada.${GROUP}/${name} ${printable(done)}${note}\n`);
}

/** @throws CommandError for a Karmada that is being deleted */
export function refuseDeleted({ metadata }: Karmada): void {
  if (metadata.deletionTimestamp === undefined) return;
  throw new CommandError(`Karmada ${metadata.namespace ?? ''}/${metadata.name} is being deleted`);
}

/**
 * @param what the operator does not do, such as `restarts nothing`
 * @throws CommandError for a suspended Karmada
 */
export function refuseSuspended({ spec }: Karmada, what: string): void {
  if (spec?.suspend !== true) return;
  throw new CommandError(`spec.suspend is true, so the operator ${what}; resume it first`);
}

/** Description of the flag `--dry-run`. */
export const DRY_RUN = 'let the API server check the change, but do not store it';

/** Note behind the result of a command that stored nothing. */
export const DRY_RUN_NOTE = ' (server dry run)';
