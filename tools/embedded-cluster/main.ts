import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Argument, Command, Option } from 'commander';
import { countRequests, readAudit } from './audit.ts';
import { ensureBinaries } from './binaries.ts';
import { findCluster, requireCluster, tryKubectl } from './cluster.ts';
import { down } from './down.ts';
import { Failure } from './failure.ts';
import { imageNames } from './images.ts';
import { giveAddress } from './load-balancer.ts';
import { createProgress, duration } from './progress.ts';
import { addressesOf, clusterDirectory, clusterNames, maxNodes, slotOf } from './slot.ts';
import { up } from './up.ts';

const defaultName = 'host';
/** Values of --nodes. */
const nodeCounts = Array.from({ length: maxNodes }, (_, index) => String(index + 1));
/** Programs that no cluster needs and that users call. */
const programNames = ['helm'] as const;
const progress = createProgress(process.stderr);
const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function status(): Promise<void> {
  const names = clusterNames();
  if (names.length === 0) print('no clusters found');
  for (const name of names) {
    const cluster = findCluster(name);
    const ready =
      cluster && (await tryKubectl(cluster, ['get', '--raw=/readyz', '--request-timeout=3s']));
    const state = ready === undefined ? 'aborted' : ready.code === 0 ? 'up' : 'not answering';
    const address = `https://${addressesOf(slotOf(name) ?? 0).node}:6443`;
    print(`${name.padEnd(20)} ${state.padEnd(14)} ${address}  ${cluster?.kubeconfig ?? ''}`);
  }
}

async function logs(name: string, program?: string): Promise<void> {
  const directory = join(clusterDirectory(name), 'log');
  if (!existsSync(directory))
    throw new Failure(`cluster ${name} has no logs`, `npm run cluster -- up ${name}`);
  for (const file of (await readdir(directory)).sort()) {
    if (program !== undefined && file !== `${program}.log`) continue;
    const lines = (await readFile(join(directory, file), 'utf8')).trimEnd().split('\n');
    if (program !== undefined) print(lines.join('\n'));
    else print([`== ${file}`, ...lines.slice(-10)].join('\n'));
  }
}

async function requests(name: string): Promise<void> {
  requireCluster(name);
  for (const { count, verb, resource, user } of countRequests(await readAudit(name))) {
    print(`${String(count).padStart(7)} ${verb.padEnd(8)} ${resource.padEnd(48)} ${user}`);
  }
}

async function bringUp(
  name: string,
  choice: { images: string; dualStack: boolean; nodes: string },
): Promise<void> {
  const began = Date.now();
  const images = choice.images === 'all' ? { images: imageNames } : {};
  const { dualStack } = choice;
  const nodes = Number(choice.nodes);
  const cluster = await up({ name, progress, dualStack, nodes, ...images });
  progress.note(`cluster ${name} is ready after ${duration(Date.now() - began)}`);
  print(`export KUBECONFIG=${cluster.kubeconfig} PATH=${cluster.bin}:$PATH`);
}

const program = new Command('npm run cluster --').description(
  'Run a real Kubernetes cluster on this machine, without Docker and without image pulls.',
);
// Prints usage errors like all other errors: one line with the problem and what to do.
program.configureOutput({
  outputError: (text, write) =>
    write(
      `${text.trim().replaceAll(/\s*\n\s*/g, ' ')}: npm run cluster -- --help lists the commands\n`,
    ),
});
const named = (command: string, text: string): Command =>
  program.command(command).description(text).argument('[name]', 'name of the cluster', defaultName);

named('up', 'start a cluster; build missing programs first')
  .addOption(
    new Option('--images <set>', 'Karmada and Kubernetes releases to load')
      .choices(['demo', 'all'])
      .default('demo'),
  )
  .option('--dual-stack', 'use IPv4 and IPv6', false)
  .addOption(
    new Option('--nodes <count>', 'number of nodes').choices(nodeCounts).default(nodeCounts[0]),
  )
  .action(bringUp);
named('down', 'remove a cluster and all its resources').action((name: string) =>
  down(name, progress),
);
program.command('status').description('list the clusters').action(status);
named('kubeconfig', 'print the path of the administrator kubeconfig').action((name: string) => {
  print(requireCluster(name).kubeconfig);
});
named('address', 'assign an address to a Service of type LoadBalancer, and print it')
  .argument('<namespace>', 'namespace of the Service')
  .argument('<service>', 'name of the Service')
  .action(async (name: string, namespace: string, service: string) => {
    print(await giveAddress(requireCluster(name), namespace, service));
  });
named('logs', 'print the last lines of all program logs, or the log of one program')
  .argument('[program]', 'program, such as kubelet')
  .action(logs);
named('requests', 'count the requests to the API server by user, verb and resource').action(
  requests,
);

program
  .command('program')
  .description('print the path of a program; build it first if it is missing')
  .addArgument(new Argument('<program>', 'name of the program').choices(programNames))
  .action(async (name: (typeof programNames)[number]) => {
    print((await ensureBinaries([name], progress))[name]);
  });

try {
  await program.parseAsync();
} catch (error) {
  const text = error instanceof Error ? error.message : String(error);
  process.stderr.write(`error: ${text}\n`);
  process.exitCode = 1;
}
