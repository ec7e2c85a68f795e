/** Command `kubeconfig`. */
import type { Access } from '../../control-plane-access/admin-kubeconfig.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import {
  kubeconfigFiles,
  withConnection,
  type CommandRequest,
  type ConnectionFlags,
} from '../program/connect.ts';
import { CommandError, type Environment } from '../program/environment.ts';
import { readKarmada } from '../program/karmada.ts';
import { printable } from '../program/text.ts';
import { changeKubeconfigFile, writePrivateFile } from './kubeconfig-file.ts';
import {
  kubeconfigOf,
  kubeconfigYaml,
  mergedKubeconfig,
  parseKubeconfig,
  through,
} from './kubeconfig-text.ts';
import { readAdminAccess, tunnelTarget } from './read-access.ts';
import { openTunnel, podDialer, type Tunnel } from './tunnel.ts';

interface Flags extends ConnectionFlags {
  readonly merge?: boolean;
  readonly file?: string;
  readonly proxy?: boolean;
  readonly port?: number;
}

const MAX_PORT = 65_535;

function portNumber(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= MAX_PORT) return port;
  throw new InvalidArgumentError('must be a port number.');
}

/** Adds the command `kubeconfig`. */
export function addKubeconfig(program: Command, environment: Environment): void {
  program
    .command('kubeconfig')
    .argument('<name>', 'name of the Karmada')
    .argument('[command...]', 'with --proxy: program to run with this kubeconfig, after "--"')
    .option('--merge', 'add it to your kubeconfig file instead of printing it')
    .option('--file <file>', 'write it to this file instead of printing it')
    .option('--proxy', 'forward a local port to the API server until interrupted')
    .option('--port <number>', 'local port of --proxy; any free port by default', portNumber)
    .action(async (name: string, run: readonly string[], _, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      check(flags, run);
      await withConnection(environment, flags, (connection) =>
        execute({ environment, connection, flags, run }, name),
      );
    });
}

function check({ merge, file, proxy, port }: Flags, run: readonly string[]): void {
  if (port !== undefined && proxy !== true) throw new CommandError('--port requires --proxy');
  if (merge === true && file !== undefined)
    throw new CommandError('--merge and --file cannot be used together');
  if (run.length === 0) return;
  if (proxy !== true) throw new CommandError('a command after "--" requires --proxy');
  if (merge === true || file !== undefined)
    throw new CommandError('--merge and --file cannot be used with a command');
}

interface Request extends CommandRequest<Flags> {
  readonly run: readonly string[];
}

async function execute(request: Request, karmadaName: string): Promise<void> {
  const { connection, flags, run } = request;
  const karmada = await readKarmada(connection, karmadaName);
  const access = await readAdminAccess(connection, karmada);
  const name = `karmada-${connection.namespace}-${karmadaName}`;
  if (flags.proxy !== true) return deliver(request, name, access);
  const { target, serverName, close } = await tunnelTarget(connection, karmada);
  const report = (message: string): void =>
    request.environment.errors.write(`error: ${printable(message)}\n`);
  const tunnel = await openTunnel(podDialer(target), flags.port ?? 0, report);
  const local = through(access, `https://127.0.0.1:${tunnel.port}`, serverName);
  try {
    if (run.length > 0) await runWith(request, name, local);
    else await serve(request, tunnel, () => deliver(request, name, local));
  } finally {
    await tunnel.close();
    await close();
  }
}

async function deliver(
  { environment, flags }: Request,
  name: string,
  access: Access,
): Promise<void> {
  const { output, errors, workingDirectory } = environment;
  const config = kubeconfigOf(name, access);
  if (flags.merge === true) {
    const { files } = kubeconfigFiles(flags.kubeconfig, environment);
    const [file = ''] = files;
    await changeKubeconfigFile(file, (present) =>
      kubeconfigYaml(mergedKubeconfig(parseKubeconfig(present, file), config)),
    );
    errors.write(`Context ${name} added to ${file}; use it with: kubectl --context ${name}\n`);
  } else if (flags.file !== undefined) {
    const file = resolve(workingDirectory, flags.file);
    await writePrivateFile(file, kubeconfigYaml(config));
    errors.write(`Kubeconfig written to ${file}\n`);
  } else {
    output.write(kubeconfigYaml(config));
  }
}

async function serve(
  { environment }: Request,
  { port }: Tunnel,
  announce: () => Promise<void>,
): Promise<void> {
  const { errors, interrupted } = environment;
  await announce();
  errors.write(`Forwarding from 127.0.0.1:${port}; press Ctrl-C to stop\n`);
  if (interrupted.aborted) return;
  await new Promise<void>((done) =>
    interrupted.addEventListener('abort', () => done(), { once: true }),
  );
}

async function runWith({ environment, run }: Request, name: string, access: Access): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'karmada-kubeconfig-'));
  try {
    const file = join(directory, 'kubeconfig');
    await writePrivateFile(file, kubeconfigYaml(kubeconfigOf(name, access)));
    const code = await environment.runProgram(run, { KUBECONFIG: file });
    if (code !== 0) throw new CommandError(`${run[0] ?? ''} failed with exit code ${code}`, code);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
