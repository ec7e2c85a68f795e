/** Command `restore`: shows what a backup would replace, asks for the ID of the etcd cluster, and follows the restore. */
import type { Command } from 'commander';
import {
  karmadaBackups,
  karmadaRestores,
  type KarmadaBackup,
  type KarmadaRestore,
} from '../../api/backup/kinds.ts';
import { apiVersionOf } from '../../kubernetes/objects/resources.ts';
import {
  withConnection,
  type CommandRequest,
  type Connection,
  type ConnectionFlags,
} from '../program/connect.ts';
import { CommandError, type Environment } from '../program/environment.ts';
import { printable } from '../program/text.ts';
import { follow, type Progress } from '../program/follow.ts';
import { timeSuffix } from './read-backups.ts';
import { restorePlanText } from './restore-plan-text.ts';

interface Flags extends ConnectionFlags {
  readonly confirm?: string;
  readonly confirmCa?: string;
  readonly keyId?: string;
  readonly wait: boolean;
}

/** Adds the command `restore`. */
export function addRestore(program: Command, environment: Environment): void {
  program
    .command('restore')
    .argument('<backup>', 'name of the KarmadaBackup')
    .option('--confirm <cluster-id>', 'do not ask: ID of the etcd cluster whose data is given up')
    .option('--confirm-ca <cas>', 'fingerprints of the CA of the backup and of the present one')
    .option('--key-id <name>', 'key of a backup whose status records none')
    .option('--no-wait', 'do not follow the restore')
    .action(async (backup: string, _, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      await withConnection(environment, flags, (connection) =>
        restore({ environment, connection, flags }, backup),
      );
    });
}

type Request = CommandRequest<Flags>;

async function restore(request: Request, backupName: string): Promise<void> {
  const { environment, connection, flags } = request;
  const { client, namespace } = connection;
  const key = { namespace, name: backupName };
  const backup = await client.get(karmadaBackups, key);
  const name = `${backupName.slice(0, MAX_LENGTH)}-${timeSuffix(environment.clock.wall())}`;
  await client.create({
    apiVersion: apiVersionOf(karmadaRestores),
    kind: karmadaRestores.kind,
    metadata: { name, namespace },
    spec: {
      karmadaRef: backup.spec.karmadaRef,
      backupRef: { name: backupName },
      ...(flags.keyId !== undefined && { keyID: flags.keyId }),
      ...(flags.confirmCa !== undefined && { caConfirmation: flags.confirmCa }),
    },
  });
  try {
    await confirm(request, name, backup);
  } catch (error) {
    // It is not confirmed, so nothing was changed.
    await client.delete(karmadaRestores, { namespace, name });
    throw error;
  }
  if (flags.wait) await untilRestored(request, name);
}

/** Names can have 52 characters, and the suffix has 16. */
const MAX_LENGTH = 36;

/** Asks for the ID, and sets it. @throws CommandError if the restore cannot start, or the answer is another ID */
async function confirm(request: Request, name: string, backup: KarmadaBackup): Promise<void> {
  const { environment, connection, flags } = request;
  const { client, namespace } = connection;
  const waiting = await untilAwaiting(request, name);
  const { clusterID = '', caConfirmation } = waiting.status ?? {};
  environment.output.write(restorePlanText(waiting, backup));
  if (caConfirmation !== undefined && caConfirmation !== flags.confirmCa)
    throw new CommandError(
      `the control plane has another CA than the backup; confirm both with --confirm-ca ${caConfirmation}`,
    );
  const answer =
    flags.confirm ??
    (await environment.ask('Type the ID of the etcd cluster to replace all its data: '));
  if (answer === undefined)
    throw new CommandError(`the input is not a terminal; confirm with --confirm ${clusterID}`);
  if (answer.trim() !== clusterID)
    throw new CommandError(`restore not confirmed: the ID of the etcd cluster is ${clusterID}`);
  const change = { spec: { confirmation: clusterID } };
  await client.patch(karmadaRestores, { namespace, name }, change);
  environment.output.write(`karmadarestore.backup.operator.karmada.io/${name} confirmed\n`);
}

async function untilAwaiting(
  { environment, connection }: Request,
  name: string,
): Promise<KarmadaRestore> {
  const read = async (): Promise<Progress<KarmadaRestore>> => {
    const found = await readRestore(connection, name);
    const { phase } = found.status ?? {};
    if (phase === 'AwaitingConfirmation') return { text: '', result: found };
    if (phase === undefined) return { text: '' };
    throw new CommandError(printable(messageIn(found)));
  };
  return follow(environment, read);
}

const readRestore = async (
  { client, namespace }: Connection,
  name: string,
): Promise<KarmadaRestore> => client.get(karmadaRestores, { namespace, name });

const messageIn = ({ status }: KarmadaRestore): string =>
  status?.conditions?.find(({ type }) => type === 'Restored')?.message ?? '';

async function untilRestored({ environment, connection }: Request, name: string): Promise<void> {
  const read = async (): Promise<Progress<KarmadaRestore>> => {
    const found = await readRestore(connection, name);
    const { phase } = found.status ?? {};
    if (phase === 'Withdrawn') throw new CommandError(printable(messageIn(found)));
    const isDone = phase === 'PropagationPaused' || phase === 'Complete';
    return { text: messageIn(found), ...(isDone && { result: found }) };
  };
  await follow(environment, read);
}
