/** Command `backups`: lists backups, the newest first. */
import type { Command } from 'commander';
import type { KarmadaBackup } from '../../api/backup/kinds.ts';
import { withConnection, type ConnectionFlags } from '../program/connect.ts';
import type { Environment } from '../program/environment.ts';
import { outputOption, structured, type StructuredFormat } from '../program/structured.ts';
import { ageText, columns, palette, printable, usesColors, type Palette } from '../program/text.ts';
import { listBackups } from './read-backups.ts';

type Flags = ConnectionFlags & { readonly output?: StructuredFormat };

/** Adds the command `backups`. */
export function addBackups(program: Command, environment: Environment): void {
  program
    .command('backups')
    .argument('[name]', 'name of the Karmada; all of the namespace if absent')
    .addOption(outputOption())
    .action(async (name: string | undefined, _, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      const backups = await withConnection(environment, flags, (connection) =>
        listBackups(connection, name),
      );
      const text =
        flags.output === undefined
          ? backupsTable(backups, environment.clock.wall(), palette(usesColors(environment)))
          : structured({ items: backups }, flags.output);
      environment.output.write(text);
    });
}

const HEADER = ['NAME', 'KARMADA', 'PHASE', 'AGE', 'REVISION', 'KEYS', 'SIZE', 'FOLDER'];

/** Formats backups as a table. @param now milliseconds since 1970 */
function backupsTable(
  backups: readonly KarmadaBackup[],
  now: number,
  { good, bad }: Palette,
): string {
  if (backups.length === 0) return 'No backups found\n';
  const paint = (phase: string): string =>
    phase === 'Verified' ? good(phase) : phase === 'Failed' ? bad(phase) : phase;
  const lines = backups.map(({ metadata, spec, status = {} }) => [
    metadata.name,
    spec.karmadaRef.name,
    paint(printable(status.phase ?? 'Pending')),
    ageText(now - Date.parse(status.takenAt ?? metadata.creationTimestamp ?? '')),
    printable(status.revision ?? ''),
    printable(status.keys ?? ''),
    sizeText(status.sizeBytes),
    printable(status.folder ?? ''),
  ]);
  return columns([HEADER, ...lines])
    .map((line) => `${line}\n`)
    .join('');
}

const MEBIBYTE = 2 ** 20;

const sizeText = (bytes: number | undefined): string =>
  bytes === undefined ? '' : `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
