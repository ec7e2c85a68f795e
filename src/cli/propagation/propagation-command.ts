/** Command `propagation`: what a control plane would change in its member clusters. Reads only. */
import type { Command } from 'commander';
import { withConnection, type ConnectionFlags } from '../program/connect.ts';
import type { Environment } from '../program/environment.ts';
import { readKarmada } from '../program/karmada.ts';
import { outputOption, structured, type StructuredFormat } from '../program/structured.ts';
import { openControlPlane } from './open-control-plane.ts';
import { propagationText } from './propagation-text.ts';
import { readPropagation, type PropagationView } from './read-propagation.ts';

type Flags = ConnectionFlags & { readonly output?: StructuredFormat };

/** Adds the command `propagation`. */
export function addPropagation(program: Command, environment: Environment): void {
  program
    .command('propagation')
    .argument('<name>', 'name of the Karmada')
    .addOption(outputOption())
    .action(async (name: string, _, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      const view = await read(environment, flags, name);
      environment.output.write(
        flags.output === undefined ? propagationText(view) : structured(view, flags.output),
      );
    });
}

const read = (
  environment: Environment,
  flags: ConnectionFlags,
  name: string,
): Promise<PropagationView> =>
  withConnection(environment, flags, async (connection) => {
    const karmada = await readKarmada(connection, name);
    const plane = await openControlPlane(connection, karmada);
    try {
      return await readPropagation(karmada, plane, environment.interrupted);
    } finally {
      await plane.close();
    }
  });
