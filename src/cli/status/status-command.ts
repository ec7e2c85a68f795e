/** Command `status`. */
import { InvalidArgumentError, type Command } from 'commander';
import { durationMs } from '../../api/duration.ts';
import type { Karmada } from '../../api/karmada.ts';
import { sleep } from '../../kubernetes/time/clock.ts';
import { withConnection, type Connection, type ConnectionFlags } from '../program/connect.ts';
import { CommandError, type Environment } from '../program/environment.ts';
import { listKarmadas, readKarmada } from '../program/karmada.ts';
import { outputOption, structured, type StructuredFormat } from '../program/structured.ts';
import { palette, usesColors } from '../program/text.ts';
import { readStatus } from './read-status.ts';
import { statusTable, statusText } from './status-text.ts';
import { statusView, type StatusView } from './status-view.ts';
import { waitReady } from './wait-ready.ts';

interface Flags extends ConnectionFlags {
  readonly allNamespaces?: boolean;
  readonly output?: StructuredFormat;
  readonly watch?: boolean;
  readonly wait?: boolean;
  /** Milliseconds. */
  readonly timeout?: number;
}

/** Time limit of `--wait` without `--timeout`, in milliseconds. */
const TIMEOUT_MS = 600_000;

/** Pause between two reads with `--watch`, in milliseconds. */
const WATCH_MS = 2_000;

/** Parses `--timeout`. */
function milliseconds(text: string): number {
  const ms = durationMs(text);
  if (ms !== undefined) return ms;
  throw new InvalidArgumentError('must be a duration such as 15s or 1m30s.');
}

/** Adds the command `status`. */
export function addStatus(program: Command, environment: Environment): void {
  program
    .command('status')
    .argument('[name]', 'name of the Karmada; all of the namespace without it')
    .option('-A, --all-namespaces', 'Karmadas of all namespaces')
    .addOption(outputOption())
    .option('-w, --watch', 'refresh until interrupted')
    .option(
      '--wait',
      'wait until Ready: exit code 0 if Ready, 2 if the operator waits for you, 3 after the timeout',
    )
    .option('--timeout <duration>', 'time limit of --wait, 10m by default', milliseconds)
    .action(async (name: string | undefined, _, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      refuseContradictions(name, flags);
      await withConnection(environment, flags, (connection) =>
        show({ environment, connection, name, flags }),
      );
    });
}

/** @throws CommandError for flags that exclude each other */
function refuseContradictions(name: string | undefined, flags: Flags): void {
  if (name !== undefined && flags.allNamespaces === true)
    throw new CommandError('a name cannot be used together with --all-namespaces');
  if (flags.wait === true && flags.watch === true)
    throw new CommandError('--wait cannot be used together with --watch');
  if (flags.wait !== true && flags.timeout !== undefined)
    throw new CommandError('--timeout needs --wait');
}

interface Request {
  readonly environment: Environment;
  readonly connection: Connection;
  readonly name: string | undefined;
  readonly flags: Flags;
}

async function show(request: Request): Promise<void> {
  const { environment, flags } = request;
  if (flags.watch === true) return watch(environment, () => render(request));
  const failure = flags.wait === true ? await waitFor(request) : undefined;
  environment.output.write(await render(request));
  if (failure !== undefined) throw failure;
}

/** @returns the error of a Karmada that is not Ready */
const waitFor = (request: Request): Promise<CommandError | undefined> =>
  waitReady(request.environment, {
    read: () => readKarmadas(request),
    timeoutMs: request.flags.timeout ?? TIMEOUT_MS,
  });

const readKarmadas = async ({ connection, name, flags }: Request): Promise<readonly Karmada[]> =>
  name === undefined
    ? listKarmadas(connection, flags.allNamespaces === true)
    : [await readKarmada(connection, name)];

async function watch(environment: Environment, text: () => Promise<string>): Promise<void> {
  const { output, clock, interrupted } = environment;
  let last: string | undefined;
  while (!interrupted.aborted) {
    const next = await text();
    if (output.isTerminal) output.redraw(next);
    else if (next !== last) output.write(next);
    last = next;
    await sleep(clock, WATCH_MS, interrupted);
  }
}

async function render(request: Request): Promise<string> {
  const { environment, connection, name, flags } = request;
  const now = environment.clock.wall();
  const all = flags.allNamespaces === true;
  const found = await readKarmadas(request);
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
