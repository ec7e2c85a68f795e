/** Command `orphans`. */
import type { Command } from 'commander';
import { listOrphans, orphanLines } from '../../orphans/find-orphans.ts';
import { withConnection, type ConnectionFlags } from '../program/connect.ts';
import type { Environment } from '../program/environment.ts';
import { outputOption, structured, type StructuredFormat } from '../program/structured.ts';
import { printable } from '../program/text.ts';
import { orphansView } from './orphans-view.ts';

interface Flags extends ConnectionFlags {
  readonly output?: StructuredFormat;
}

/** Adds the command `orphans`. */
export function addOrphans(program: Command, environment: Environment): void {
  program
    .command('orphans')
    .addOption(outputOption())
    .action(async (_, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      const found = await withConnection(environment, flags, ({ client, connect }) =>
        listOrphans(client, connect),
      );
      if (flags.output !== undefined) {
        environment.output.write(structured(orphansView(found), flags.output));
        return;
      }
      const lines = orphanLines(found);
      const shown = lines.length === 0 ? ['No orphaned control planes found'] : lines;
      environment.output.write(shown.map((line) => `${printable(line)}\n`).join(''));
    });
}
