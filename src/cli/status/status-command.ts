/** Command `status`. */
import type { Command } from 'commander';
import { sleep } from '../../kubernetes/clock.ts';
import { withConnection, type Connection, type ConnectionFlags } from '../program/connect.ts';
import { CommandError, type Environment } from '../program/environment.ts';
import { listKarmadas, readKarmada } from '../program/karmada.ts';
import { outputOption, structured, type StructuredFormat } from '../program/structured.ts';
import { palette, usesColors } from '../program/text.ts';
import { readStatus } from './read-status.ts';
import { statusTable, statusText } from './status-text.ts';
import { statusView, type StatusView } from './status-view.ts';

interface Flags extends ConnectionFlags {
  readonly allNamespaces?: boolean;
  readonly output?: StructuredFormat;
  readonly watch?: boolean;
}

/** Pause between two reads with `--watch`, in milliseconds. */
const WATCH_MS = 2_000;

/** Moves the cursor to the top and clears the screen below it, without the scrollback. */
const REDRAW = '\u001b[H\u001b[J';

/** Adds the command `status`. */
export function addStatus(program: Command, environment: Environment): void {
  program
    .command('status')
    .argument('[name]', 'name of the Karmada; all of the namespace without it')
    .option('-A, --all-namespaces', 'Karmadas of all namespaces')
    .addOption(outputOption())
    .option('-w, --watch', 'refresh until interrupted')
    .action(async (name: string | undefined, _, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      if (name !== undefined && flags.allNamespaces === true)
        throw new CommandError('a name cannot be used together with --all-namespaces');
      await withConnection(environment, flags, (connection) =>
        flags.watch === true
          ? watch(environment, () => render({ environment, connection, name, flags }))
          : render({ environment, connection, name, flags }).then((text) =>
              environment.output.write(text),
            ),
      );
    });
}

interface Request {
  readonly environment: Environment;
  readonly connection: Connection;
  readonly name: string | undefined;
  readonly flags: Flags;
}

async function watch(environment: Environment, text: () => Promise<string>): Promise<void> {
  const { output, clock, interrupted } = environment;
  let last: string | undefined;
  while (!interrupted.aborted) {
    const next = await text();
    if (output.isTerminal) output.write(`${REDRAW}${next}`);
    else if (next !== last) output.write(next);
    last = next;
    await sleep(clock, WATCH_MS, interrupted);
  }
}

async function render({ environment, connection, name, flags }: Request): Promise<string> {
  const now = environment.clock.wall();
  const all = flags.allNamespaces === true;
  const found =
    name === undefined
      ? await listKarmadas(connection, all)
      : [await readKarmada(connection, name)];
  const views: StatusView[] = [];
  // One after the other: a fleet must not put its whole load on the API server at once.
  for (const karmada of found) views.push(statusView(await readStatus(connection, karmada), now));
  if (flags.output !== undefined)
    return structured(name === undefined ? { items: views } : views[0], flags.output);
  const settings = { palette: palette(usesColors(environment)), now };
  const [first] = views;
  if (first === undefined)
    return all ? 'No Karmadas found\n' : `No Karmadas found in namespace ${connection.namespace}\n`;
  return views.length === 1 && !all
    ? statusText(first, settings)
    : statusTable(views, all, settings);
}
