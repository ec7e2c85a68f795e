/** Prints the table of the README. All sides take turns on one cluster, with the same versions and images. */
import { writeFile } from 'node:fs/promises';
import { Command, Option } from 'commander';
import { demoImages } from '../../tools/embedded-cluster/images.ts';
import { createProgress } from '../../tools/embedded-cluster/progress.ts';
import { controlPlaneCrdNames } from '../harness/go-operator.ts';
import { measureKarmadactl } from './compare/karmadactl.ts';
import { measureOperator } from './compare/operators.ts';
import {
  comparisonTable,
  type Column,
  type Figures,
  type Measured,
  type UpgradeFigure,
} from './compare/report.ts';
import { onBenchCluster } from './install/bench-cluster.ts';
import {
  number,
  restOf,
  runProgram,
  withSeriesOptions,
  type SeriesChoice,
} from './install/command.ts';
import { awaitRest, describeMachine, machineText } from './install/machine.ts';
import { prepareOperator, type Operator, type OperatorLabel } from './install/operators.ts';
import { orderOf } from './install/rounds.ts';
import type { Session } from './install/session.ts';
import { measureUpgrade, ONLY_UPGRADE } from './upgrade/measure.ts';

interface Choice extends SeriesChoice {
  readonly rounds: number;
  readonly only?: OperatorLabel;
}

/** Columns that are measured. The Jobs of the chart need images of cfssl and kubectl, which are not built here. */
type MeasuredColumn = Exclude<Column, 'chart'>;
type RoundFigures = Awaited<ReturnType<typeof measureOperator>>;

const progress = createProgress(process.stderr);

/** Upgrades a control plane with each operator, one after the other. */
async function upgrades(
  session: Session,
  operators: readonly Operator[],
): Promise<Partial<Record<MeasuredColumn, UpgradeFigure>>> {
  const figures: Partial<Record<MeasuredColumn, UpgradeFigure>> = {};
  for (const operator of operators) {
    const phases = measureUpgrade(session, operator, 'one member', ONLY_UPGRADE);
    for await (const { seconds, finished, traffic } of phases) {
      const requests = Object.values(traffic.calls).reduce((sum, calls) => sum + calls, 0);
      figures[operator.label] = { requests, failed: traffic.failed.length, seconds, finished };
    }
  }
  return figures;
}

/** Runs all rounds. The first side rotates; Deployments are deleted in the last round only. */
async function rounds(
  session: Session,
  operators: readonly Operator[],
  choice: Choice,
): Promise<Map<MeasuredColumn, RoundFigures[]>> {
  const crds = await controlPlaneCrdNames();
  const rest = restOf(choice);
  const sides: (Operator | 'karmadactl')[] = [
    ...operators,
    ...(choice.only === undefined ? ['karmadactl' as const] : []),
  ];
  const measured = new Map<MeasuredColumn, RoundFigures[]>();
  for (let round = choice.warmUp ? 0 : 1; round <= choice.rounds; round++) {
    for (const side of orderOf(sides, round)) {
      const column = side === 'karmadactl' ? side : side.label;
      const repairs = round === choice.rounds;
      const figures = await progress.step(`round ${String(round)}: ${column}`, async () => {
        if (side !== 'karmadactl') return measureOperator(session, side, { crds, rest, repairs });
        await awaitRest(rest);
        return measureKarmadactl(session, repairs);
      });
      if (round > 0) measured.set(column, [...(measured.get(column) ?? []), figures]);
    }
  }
  return measured;
}

async function measure(session: Session, choice: Choice): Promise<void> {
  const labels: OperatorLabel[] = choice.only === undefined ? ['ours', 'upstream'] : [choice.only];
  const operators: Operator[] = [];
  for (const label of labels) {
    const install = (): Promise<Operator> => prepareOperator(session, label);
    operators.push(await progress.step(`install ${label}`, install));
  }
  const measured = await rounds(session, operators, choice);
  const upgraded = await upgrades(session, operators);
  const figures: Figures = Object.fromEntries(
    [...measured].map(([column, runs]): [Column, Measured] => {
      const upgrade = upgraded[column];
      const all = {
        installs: runs.map(({ install }) => install),
        repairs: runs.flatMap(({ repairs }) => repairs),
      };
      return [column, upgrade === undefined ? all : { ...all, upgrade }];
    }),
  );
  if (choice.json !== undefined)
    await writeFile(choice.json, `${JSON.stringify(figures, undefined, 2)}\n`);
  process.stdout.write(`${comparisonTable(figures)}\n\n${machineText(describeMachine())}\n`);
}

const images = [...demoImages, 'etcd-previous', 'kubernetes-previous', 'karmada-previous'] as const;

const program = new Command('npm run bench:compare --')
  .description(
    'Measure this operator, the Go operator and karmadactl init in turn, and print the table of the README.',
  )
  .option('--rounds <number>', 'number of measured rounds', number, 5)
  .addOption(
    new Option('--only <operator>', 'measure one operator only').choices(['ours', 'upstream']),
  )
  .action((choice: Choice) =>
    onBenchCluster({ images, keep: choice.keep, progress }, (session) => measure(session, choice)),
  );

await runProgram(withSeriesOptions(program));
