import { writeFile } from 'node:fs/promises';
import { Command, Option } from 'commander';
import { demoImages } from '../../tools/embedded-cluster/images.ts';
import { createProgress } from '../../tools/embedded-cluster/progress.ts';
import { fileOfCaller, onBenchCluster } from './install/bench-cluster.ts';
import { describeMachine, machineText } from './install/machine.ts';
import { prepareOperator, type OperatorLabel } from './install/operators.ts';
import type { Session } from './install/session.ts';
import { measureUpgrade, setups, type Phase } from './upgrade/measure.ts';
import { report } from './upgrade/report.ts';

interface Choice {
  readonly only?: OperatorLabel;
  readonly json?: string;
  readonly keep: boolean;
}

const progress = createProgress(process.stderr);

async function measure(session: Session, { only, json }: Choice): Promise<void> {
  const labels: OperatorLabel[] = only === undefined ? ['ours', 'upstream'] : [only];
  const phases: Phase[] = [];
  const keep = async (phase: Phase): Promise<void> => {
    phases.push(phase);
    if (json !== undefined) await writeFile(json, `${JSON.stringify(phases, undefined, 2)}\n`);
    process.stderr.write(`${report([phase])}\n`);
  };
  for (const label of labels) {
    const prepare = () => prepareOperator(session, label);
    const operator = await progress.step(`install ${label}`, prepare);
    for (const setup of setups)
      for await (const phase of measureUpgrade(session, operator, setup)) await keep(phase);
  }
  process.stdout.write(`${report(phases)}\n\n${machineText(describeMachine())}\n`);
}

async function main(choice: Choice): Promise<void> {
  const file = choice.json === undefined ? {} : { json: fileOfCaller(choice.json) };
  const images = [
    ...demoImages,
    'etcd-previous',
    'kubernetes-previous',
    'karmada-previous',
  ] as const;
  await onBenchCluster({ images, keep: choice.keep, progress }, (session) =>
    measure(session, { ...choice, ...file }),
  );
}

const program = new Command('npm run bench:upgrade --')
  .description(
    'Change a control plane under load with this operator and the Go operator, and count the errors of its clients.',
  )
  .addOption(
    new Option('--only <operator>', 'measure one operator only').choices(['ours', 'upstream']),
  )
  .option('--json <file>', 'file for the raw values')
  .option('--keep', 'keep the cluster', false)
  .action(main);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
