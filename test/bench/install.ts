import { writeFile } from 'node:fs/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { demoImages } from '../cluster/images.ts';
import { createProgress } from '../cluster/progress.ts';
import { fileOfCaller, onBenchCluster } from './install/bench-cluster.ts';
import { instancesOf, kinds } from './install/instance.ts';
import { describeMachine } from './install/machine.ts';
import { measureMemory, type MemoryFigure } from './install/memory.ts';
import {
  prepareOperator,
  startOperator,
  stopOperator,
  type Operator,
  type OperatorLabel,
} from './install/operators.ts';
import { measurePairs } from './install/pairs.ts';
import { report, runLine, type Results, type Run } from './install/report.ts';
import type { Session } from './install/session.ts';
import { controlPlaneCrdNames } from './install/upstream.ts';

interface Choice {
  readonly pairs: number;
  readonly kind: (typeof kinds)[number];
  readonly only?: OperatorLabel;
  readonly memory: boolean;
  readonly rest: number;
  readonly idle: number;
  readonly idleWait: number;
  readonly warmUp: boolean;
  readonly json?: string;
  readonly keep: boolean;
}

const progress = createProgress(process.stderr);
const print = (text: string): void => void process.stdout.write(`${text}\n`);

function number(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0)) throw new InvalidArgumentError('give a number');
  return value;
}

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

/** Runs what was chosen; raw values are written after every run, so that none is lost when a later one fails. */
async function measure(session: Session, choice: Choice): Promise<void> {
  const labels: OperatorLabel[] = choice.only === undefined ? ['ours', 'upstream'] : [choice.only];
  const operators: Operator[] = [];
  for (const label of labels) {
    const install = (): Promise<Operator> => prepareOperator(session, label);
    operators.push(await progress.step(`install ${label}`, install));
  }
  const crds = await controlPlaneCrdNames();
  const runs: Run[] = [];
  const head = {
    machine: describeMachine(),
    kind: choice.kind,
    began: new Date().toISOString(),
  };
  const save = async (results: Results): Promise<void> => {
    if (choice.json !== undefined)
      await writeFile(choice.json, `${JSON.stringify(results, undefined, 2)}\n`);
  };
  const { pairs, warmUp } = choice;
  const rest = { idle: choice.idle / 100, deadlineMs: choice.idleWait * 1000 };
  const instances = instancesOf(choice.kind);
  const series = { operators, instances, pairs, warmUp, crds, rest };
  for await (const run of measurePairs(session, series)) {
    runs.push(run);
    print(runLine(run));
    await save({ ...head, runs, memory: [] });
  }
  const memory = choice.memory
    ? await measureAllMemory(session, operators, { rest: choice.rest, crds })
    : [];
  await save({ ...head, runs, memory });
  print(`\n${report({ ...head, runs, memory })}`);
}

async function main(choice: Choice): Promise<void> {
  const file = choice.json === undefined ? {} : { json: fileOfCaller(choice.json) };
  const { keep } = choice;
  await onBenchCluster({ images: demoImages, keep, progress }, (session) =>
    measure(session, { ...choice, ...file }),
  );
}

const program = new Command('npm run bench:install --')
  .description(
    "Installs and deletes the same Karmada with this operator and with upstream's, in turns.",
  )
  .option('--pairs <number>', 'measured pairs', number, 5)
  .addOption(new Option('--kind <kind>', 'what is installed').choices(kinds).default('core'))
  .addOption(new Option('--only <operator>', 'one side').choices(['ours', 'upstream']))
  .option('--no-warm-up', 'leave out the pair that comes first and is not counted')
  .option('--memory', "measure the operators' memory with 1 and 3 instances, too", false)
  .option('--rest <seconds>', 'time at rest before memory is read', number, 300)
  .option('--idle <percent>', 'idle share of the processors before each measurement', number, 80)
  .option('--idle-wait <seconds>', 'longest wait for that', number, 180)
  .option('--json <file>', 'write the raw values')
  .option('--keep', 'leave the cluster up', false)
  .action(main);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
