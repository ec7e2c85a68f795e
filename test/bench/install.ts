import { Command, Option } from 'commander';
import { demoImages } from '../../tools/embedded-cluster/images.ts';
import { createProgress } from '../../tools/embedded-cluster/progress.ts';
import { onBenchCluster } from './install/bench-cluster.ts';
import {
  number,
  restOf,
  runProgram,
  withSeriesOptions,
  type SeriesChoice,
} from './install/command.ts';
import { instancesOf, kinds } from './install/instance.ts';
import { measureMemory, type MemoryFigure } from './install/memory.ts';
import {
  prepareOperator,
  startOperator,
  stopOperator,
  type Operator,
  type OperatorLabel,
} from './install/operators.ts';
import { measureRounds } from './install/rounds.ts';
import { createRecord, print } from './install/record.ts';
import { report } from './install/report.ts';
import type { Session } from './install/session.ts';
import { controlPlaneCrdNames } from '../harness/go-operator.ts';

interface Choice extends SeriesChoice {
  readonly pairs: number;
  readonly kind: (typeof kinds)[number];
  readonly only?: OperatorLabel;
  readonly memory: boolean;
  readonly rest: number;
}

const progress = createProgress(process.stderr);

async function measureAllMemory(
  session: Session,
  operators: readonly Operator[],
  { rest, crds }: { rest: number; crds: readonly string[] },
): Promise<MemoryFigure[]> {
  const figures: MemoryFigure[] = [];
  for (const operator of operators) {
    const pod = await startOperator(session, operator);
    const options = { restMs: rest * 1000, crds, pod };
    figures.push(...(await measureMemory(session, operator, options)));
    await stopOperator(session, operator);
  }
  return figures;
}

async function measure(session: Session, choice: Choice): Promise<void> {
  const labels: OperatorLabel[] = choice.only === undefined ? ['ours', 'upstream'] : [choice.only];
  const operators: Operator[] = [];
  for (const label of labels) {
    const install = (): Promise<Operator> => prepareOperator(session, label);
    operators.push(await progress.step(`install ${label}`, install));
  }
  const crds = await controlPlaneCrdNames();
  const record = createRecord(choice.kind, choice.json);
  const instances = instancesOf(choice.kind);
  const sides = operators.map((operator) => ({
    label: operator.label,
    session,
    operator,
    instances,
  }));
  const { pairs: rounds, warmUp } = choice;
  const series = { sides, rounds, warmUp, crds, rest: restOf(choice) };
  for await (const run of measureRounds(series)) await record.add(run);
  if (choice.memory)
    await record.addMemory(await measureAllMemory(session, operators, { rest: choice.rest, crds }));
  print(`\n${report(record.results, [{ of: 'ours', to: 'upstream' }])}`);
}

async function main(choice: Choice): Promise<void> {
  const { keep } = choice;
  await onBenchCluster({ images: demoImages, keep, progress }, (session) =>
    measure(session, choice),
  );
}

const program = new Command('npm run bench:install --')
  .description(
    'Measure install and deletion of the same Karmada, alternately with this operator and the Go operator.',
  )
  .option('--pairs <number>', 'number of measured pairs', number, 5)
  .addOption(
    new Option('--kind <kind>', 'control planes to install').choices(kinds).default('core'),
  )
  .addOption(
    new Option('--only <operator>', 'measure one operator only').choices(['ours', 'upstream']),
  )
  .option('--memory', 'also measure the memory of the operators with 1 and 3 control planes', false)
  .option('--rest <seconds>', 'idle time before the memory is measured', number, 300)
  .action(main);

await runProgram(withSeriesOptions(program));
