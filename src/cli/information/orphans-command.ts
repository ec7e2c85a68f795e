/** Command `orphans`. */
import type { Command } from 'commander';
import { orphanLines } from '../../orphans/find-orphans.ts';
import { withConnection, type ConnectionFlags } from '../program/connect.ts';
import type { Environment } from '../program/environment.ts';
import { printable } from '../program/text.ts';

/** Adds the command `orphans`. */
export function addOrphans(program: Command, environment: Environment): void {
  program.command('orphans').action(async (_, command: Command) => {
    const flags = command.optsWithGlobals<ConnectionFlags>();
    const lines = await withConnection(environment, flags, ({ client, connect }) =>
      orphanLines(client, connect),
    );
    const shown = lines.length === 0 ? ['No orphaned control planes found'] : lines;
    environment.output.write(shown.map((line) => `${printable(line)}\n`).join(''));
  });
}
