/** Command `fleet`: the state of many control planes. */
import type { Command } from 'commander';
import { withConnection, type ConnectionFlags } from '../program/connect.ts';
import type { Environment } from '../program/environment.ts';
import { listKarmadas } from '../program/karmada.ts';
import { outputOption, structured, type StructuredFormat } from '../program/structured.ts';
import { palette, usesColors } from '../program/text.ts';
import { fleetText } from './fleet-text.ts';
import { fleetView } from './fleet-view.ts';

interface Flags extends ConnectionFlags {
  readonly allNamespaces?: boolean;
  readonly output?: StructuredFormat;
}

/** Adds the command `fleet`. */
export function addFleet(program: Command, environment: Environment): void {
  program
    .command('fleet')
    .option('-A, --all-namespaces', 'Karmadas of all namespaces')
    .addOption(outputOption())
    .action(async (_, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      const all = flags.allNamespaces === true;
      const { view, namespace } = await withConnection(environment, flags, async (connection) => ({
        view: fleetView(await listKarmadas(connection, all)),
        namespace: connection.namespace,
      }));
      const settings = {
        palette: palette(usesColors(environment)),
        now: environment.clock.wall(),
      };
      const none = all ? 'No Karmadas found\n' : `No Karmadas found in namespace ${namespace}\n`;
      const text = view.total === 0 ? none : fleetText(view, settings);
      environment.output.write(flags.output === undefined ? text : structured(view, flags.output));
    });
}
