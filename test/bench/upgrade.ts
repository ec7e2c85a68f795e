import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { down } from '../cluster/down.ts';
import { createProgress } from '../cluster/progress.ts';
import { up } from '../cluster/up.ts';
import { describeMachine } from './install/machine.ts';
import { prepareOperator, type OperatorLabel } from './install/operators.ts';
import { openSession, type Session } from './install/session.ts';
import { measureUpgrade, type Phase } from './upgrade/measure.ts';
import { report } from './upgrade/report.ts';

interface Choice {
  readonly only?: OperatorLabel;
  readonly json?: string;
  readonly keep: boolean;
}

const clusterName = 'bench';
const progress = createProgress(process.stderr);

async function measure(session: Session, { only, json }: Choice): Promise<void> {
  const labels: OperatorLabel[] = only === undefined ? ['ours', 'upstream'] : [only];
  const phases: Phase[] = [];
  for (const label of labels) {
    const prepare = () => prepareOperator(session, label);
    const operator = await progress.step(`install ${label}`, prepare);
    for await (const phase of measureUpgrade(session, operator)) {
      phases.push(phase);
      if (json !== undefined) await writeFile(json, `${JSON.stringify(phases, undefined, 2)}\n`);
      process.stderr.write(`${report([phase])}\n`);
    }
  }
  process.stdout.write(`${report(phases)}\n\nMachine: ${describeMachine()}.\n`);
}

async function main(choice: Choice): Promise<void> {
  // A cluster of an earlier run may hold anything.
  await down(clusterName, progress);
  const current = ['etcd', 'kubernetes', 'karmada'] as const;
  const images = [...current, 'kubernetes-previous', 'karmada-previous'] as const;
  const cluster = await up({ name: clusterName, images, progress });
  const session = openSession(cluster, progress);
  try {
    const caller = process.env['INIT_CWD'] ?? process.cwd();
    const file = choice.json === undefined ? {} : { json: resolve(caller, choice.json) };
    await measure(session, { ...choice, ...file });
  } finally {
    await session.client.close();
    if (choice.keep) progress.note(`cluster ${clusterName} is kept`);
    else await down(clusterName, progress);
  }
}

const program = new Command('npm run bench:upgrade --')
  .description(
    "Changes a control plane that is used, with this operator and with upstream's, and counts what its clients notice.",
  )
  .addOption(new Option('--only <operator>', 'one side').choices(['ours', 'upstream']))
  .option('--json <file>', 'write the raw values')
  .option('--keep', 'leave the cluster up', false)
  .action(main);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
