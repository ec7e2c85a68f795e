/** Reads and names backup objects for commands. */
import {
  createdAt,
  karmadaBackups,
  karmadaBackupStores,
  type KarmadaBackup,
} from '../../api/backup/kinds.ts';
import { isNotFound } from '../../kubernetes/client/errors.ts';
import { CommandError } from '../program/environment.ts';
import type { Connection } from '../program/connect.ts';

const NOT_SERVED =
  'this cluster does not serve the kinds of backups; install crds/backup.operator.karmada.io_*.yaml, or set installCRDs in the chart';

/** Lists the backups of a namespace, or of one Karmada, the newest first. @throws CommandError, ApiError */
export async function listBackups(
  { client, namespace }: Connection,
  karmada: string | undefined,
): Promise<readonly KarmadaBackup[]> {
  const backups = await served(client.list(karmadaBackups, { namespace }));
  return backups.items
    .filter(({ spec }) => karmada === undefined || spec.karmadaRef.name === karmada)
    .sort((one, other) => (createdAt(one) < createdAt(other) ? 1 : -1));
}

/** Returns the only store of the namespace. @throws CommandError if there is none, or several */
export async function onlyStore({ client, namespace }: Connection): Promise<string> {
  const { items } = await served(client.list(karmadaBackupStores, { namespace }));
  const names = items.map(({ metadata }) => metadata.name).sort();
  const [first, second] = names;
  if (first === undefined)
    throw new CommandError(`namespace ${namespace} has no KarmadaBackupStore; create one first`);
  if (second !== undefined)
    throw new CommandError(`choose a store with --store: ${names.join(', ')}`);
  return first;
}

async function served<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    if (isNotFound(error)) throw new CommandError(NOT_SERVED);
    throw error;
  }
}

/** Suffix of the name of a new object, such as `20260102t030405`, in UTC. @param now milliseconds since 1970 */
export const timeSuffix = (now: number): string =>
  new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '').toLowerCase();
