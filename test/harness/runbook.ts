/** Runs the commands of a page for operators, unchanged. */
import { readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import type { Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { besideNode } from '../../tools/embedded-cluster/node.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { fencedCommands, sectionOf } from '../docs/markdown-commands.ts';

const PAGE = 'docs/operate/recover.md';

/** Where and with which values the commands run. */
export interface Runbook {
  readonly cluster: Cluster;
  /** Another cluster whose context the commands name. */
  readonly other?: Cluster;
  /** Working directory with the files that the page names. */
  readonly directory: string;
  /** The variables of the page. */
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * Runs all commands of a section, except those that set variables to examples.
 * @param title of the section, `## <title>`
 * @throws Error with the output if a command fails, or if the section has no commands
 */
export async function follow(
  { cluster, other, directory, variables }: Runbook,
  title: string,
): Promise<string> {
  const page = await readFile(join(checkout, PAGE), 'utf8');
  const section = sectionOf(page, title);
  const commands = fencedCommands(section.replaceAll(/^ {3}/gm, ''), 'sh').filter(
    (line) => !line.startsWith('export '),
  );
  if (commands.length === 0) throw new Error(`${PAGE}: no commands below ${title}`);
  const script = ['set -euo pipefail', ...commands, ''].join('\n');
  const kubeconfigs = [cluster, ...(other ? [other] : [])].map(({ kubeconfig }) => kubeconfig);
  const path = [cluster.bin, dirname(process.execPath), process.env['PATH'] ?? ''];
  return run(besideNode(cluster.node, ['bash', '-c', script]), {
    cwd: directory,
    env: { ...variables, KUBECONFIG: kubeconfigs.join(delimiter), PATH: path.join(delimiter) },
    timeout: 1_200_000,
  });
}
