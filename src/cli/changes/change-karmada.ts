/** Changes a Karmada as decided from its present state, and says what was changed. */
import { GROUP, type Karmada } from '../../api/karmada.ts';
import { karmadas } from '../../host-clusters/host.ts';
import type { KubernetesClient } from '../../kubernetes/client-interface.ts';
import { isStatus } from '../../kubernetes/errors.ts';
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
  /** Words that follow the name of the Karmada, such as `suspended`. */
  readonly done: string;
}

/** Field manager of the changes. */
const FIELD_MANAGER = 'kubectl-karmada-operator';

/** Attempts of a change: the operator updates the status at the same time, and the change must fit to what was read. */
const ATTEMPTS = 5;

/**
 * Reads a Karmada, decides, and patches exactly the version that was read.
 * @param decide pure; throws CommandError if the change makes no sense
 * @throws CommandError for a Karmada that is being deleted; ApiError, such as 409 if the Karmada changes all the time
 */
export async function changeKarmada(
  tools: ChangeTools,
  name: string,
  decide: (karmada: Karmada) => Decision,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await changeOnce(tools, await readKarmada(tools.connection, name), decide);
    } catch (error) {
      if (!isStatus(error, 409) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function changeOnce(
  { environment, connection, flags }: ChangeTools,
  karmada: Karmada,
  decide: (karmada: Karmada) => Decision,
): Promise<void> {
  const { namespace } = connection;
  const { name, resourceVersion } = karmada.metadata;
  const dryRun = flags.dryRun === true;
  const { patch, done } = decide(karmada);
  if (patch !== undefined) {
    const metadata = { ...patch.metadata, resourceVersion };
    const options = { fieldManager: FIELD_MANAGER, dryRun };
    await connection.client.patch(karmadas, { namespace, name }, { ...patch, metadata }, options);
  }
  const note = dryRun ? ' (server dry run)' : '';
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
