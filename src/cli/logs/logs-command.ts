/** Command `logs`: the logs of all Pods of a component. */
import { InvalidArgumentError, type Command } from 'commander';
import type { Karmada } from '../../api/karmada.ts';
import { COMPONENT, INSTANCE } from '../../api/labels.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import { hostEndpoint, openHost } from '../plan-host.ts';
import { componentNamed } from '../program/component.ts';
import {
  withConnection,
  type CommandRequest,
  type Connection,
  type ConnectionFlags,
} from '../program/connect.ts';
import { CommandError, type Environment } from '../program/environment.ts';
import { readKarmada } from '../program/karmada.ts';
import { printable } from '../program/text.ts';
import { LogReader, type LogRequest } from './read-logs.ts';

interface Flags extends ConnectionFlags {
  readonly follow?: boolean;
  readonly previous?: boolean;
  readonly tail?: number;
  readonly container?: string;
}

function lineCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('must be an integer of 0 or more.');
}

/** Adds the command `logs`. */
export function addLogs(program: Command, environment: Environment): void {
  program
    .command('logs')
    .argument('<name>', 'name of the Karmada')
    .argument('<component>', 'component, such as karmada-scheduler')
    .option('-f, --follow', 'print new lines until interrupted')
    .option('-p, --previous', 'logs before the last restart')
    .option('--tail <lines>', 'number of lines from the end of each Pod', lineCount)
    .option('-c, --container <name>', 'container; the first one by default')
    .action(async (name: string, component: string, _, command: Command) => {
      componentNamed(component);
      const flags = command.optsWithGlobals<Flags>();
      await withConnection(environment, flags, (connection) =>
        printLogs({ environment, connection, flags }, name, component),
      );
    });
}

type Request = CommandRequest<Flags>;

async function printLogs(request: Request, name: string, component: string): Promise<void> {
  const { environment, connection, flags } = request;
  const karmada = await readKarmada(connection, name);
  const pods = await componentPods(connection, karmada, component);
  if (pods.length === 0)
    throw new CommandError(`no Pods of ${component} in namespace ${connection.namespace}`);
  const endpoint = await hostEndpoint(connection, karmada);
  const reader = new LogReader(endpoint, environment.clock, connection.userAgent);
  const print = (pod: Pod): Promise<void> =>
    printLog(environment, reader, {
      request: logRequest(pod, flags, environment.interrupted),
      prefix: pods.length > 1 ? `[${printable(pod.metadata.name)}] ` : '',
    });
  try {
    if (flags.follow === true) await Promise.all(pods.map(print));
    else for (const pod of pods) await print(pod);
  } finally {
    await reader.close();
  }
}

async function componentPods(
  connection: Connection,
  karmada: Karmada,
  component: string,
): Promise<readonly KubernetesObject[]> {
  const { name, namespace = '' } = karmada.metadata;
  const { client, close } = await openHost(connection, karmada);
  try {
    const labelSelector = `${COMPONENT}=${component},${INSTANCE}=${name}`;
    return (await client.list(resources.Pod, { namespace, labelSelector })).items;
  } finally {
    await close();
  }
}

function logRequest(pod: Pod, flags: Flags, signal: AbortSignal): LogRequest {
  const { containers = [] } = pod.spec ?? {};
  const { name, namespace = '' } = pod.metadata;
  return {
    namespace,
    pod: name,
    container: flags.container ?? containers[0]?.name ?? '',
    follow: flags.follow === true,
    previous: flags.previous === true,
    tail: flags.tail,
    signal,
  };
}

async function printLog(
  { output, interrupted }: Environment,
  reader: LogReader,
  { request, prefix }: { readonly request: LogRequest; readonly prefix: string },
): Promise<void> {
  try {
    for await (const line of reader.lines(request)) output.writeData(`${prefix}${line}\n`);
  } catch (error) {
    if (!interrupted.aborted) throw error;
  }
}
