/** Command `backup`: takes a backup and follows it until it is verified. */
import type { Command } from 'commander';
import { karmadaBackups, type KarmadaBackup } from '../../api/backup/kinds.ts';
import { apiVersionOf } from '../../kubernetes/objects/resources.ts';
import { withConnection, type Connection, type ConnectionFlags } from '../program/connect.ts';
import { CommandError, type Environment } from '../program/environment.ts';
import { readKarmada } from '../program/karmada.ts';
import { follow, type Progress } from '../program/follow.ts';
import { onlyStore, timeSuffix } from './read-backups.ts';

interface Flags extends ConnectionFlags {
  readonly store?: string;
  readonly wait: boolean;
}

/** Adds the command `backup`. */
export function addBackup(program: Command, environment: Environment): void {
  program
    .command('backup')
    .argument('<name>', 'name of the Karmada')
    .option('--store <name>', 'KarmadaBackupStore, if the namespace has several')
    .option('--no-wait', 'do not wait until the backup is verified')
    .action(async (name: string, _, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      await withConnection(environment, flags, async (connection) => {
        const created = await create(environment, connection, { name, store: flags.store });
        if (flags.wait) await untilVerified(environment, connection, created);
      });
    });
}

async function create(
  { output, clock }: Environment,
  connection: Connection,
  { name, store }: { readonly name: string; readonly store: string | undefined },
): Promise<string> {
  const { client, namespace } = connection;
  await readKarmada(connection, name);
  const storeName = store ?? (await onlyStore(connection));
  const { metadata } = await client.create({
    apiVersion: apiVersionOf(karmadaBackups),
    kind: karmadaBackups.kind,
    metadata: { name: `${name}-${timeSuffix(clock.wall())}`, namespace },
    spec: { karmadaRef: { name }, storeRef: { name: storeName } },
  });
  output.write(`karmadabackup.backup.operator.karmada.io/${metadata.name} created\n`);
  return metadata.name;
}

async function untilVerified(
  environment: Environment,
  { client, namespace }: Connection,
  name: string,
): Promise<void> {
  const read = async (): Promise<Progress<KarmadaBackup>> => {
    const backup = await client.get(karmadaBackups, { namespace, name });
    const { phase = 'Pending', conditions = [] } = backup.status ?? {};
    const { message = '' } = conditions.find(({ type }) => type === 'Verified') ?? {};
    const text = message === '' ? phase : `${phase}: ${message}`;
    return ['Verified', 'Failed'].includes(phase) ? { text, result: backup } : { text };
  };
  const backup = await follow(environment, read);
  if (backup?.status?.phase === 'Failed') throw new CommandError(`backup ${name} failed`);
}
