/** Prints the table of the README. All sides take turns on one cluster, with the same versions and images. */
import { writeFile } from 'node:fs/promises';
import { Command, Option } from 'commander';
import { keysOf } from '../../src/kubernetes/objects/records.ts';
import { demoImages } from '../../tools/embedded-cluster/images.ts';
import { createProgress } from '../../tools/embedded-cluster/progress.ts';
import { controlPlaneCrdNames } from '../harness/go-operator.ts';
import { measureChart, upgradeChart } from './compare/chart.ts';
import { loadChartImages } from './compare/chart-images.ts';
import { measureKarmadactl } from './compare/karmadactl.ts';
import { measureOperator } from './compare/operators.ts';
import {
  comparisonTable,
  upgradeFigure,
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
  readonly only?: Column;
}

/** Ways to install a control plane that are no operator. */
type Installer = Extract<Column, 'karmadactl' | 'chart'>;
type RoundFigures = Awaited<ReturnType<typeof measureOperator>>;

const INSTALLERS: Readonly<
  Record<Installer, (session: Session, repairs: boolean) => Promise<RoundFigures>>
> = {
  karmadactl: measureKarmadactl,
  chart: measureChart,
};

const progress = createProgress(process.stderr);

/** Upgrades a control plane with each operator, one after the other. */
async function upgrades(
  session: Session,
  operators: readonly Operator[],
): Promise<Partial<Record<Column, UpgradeFigure>>> {
  const figures: Partial<Record<Column, UpgradeFigure>> = {};
  for (const operator of operators) {
    const phases = measureUpgrade(session, operator, 'one member', ONLY_UPGRADE);
    for await (const { seconds, finished, traffic } of phases)
      figures[operator.label] = upgradeFigure(traffic, { seconds, finished });
  }
  return figures;
}

/** Runs all rounds. The first side rotates; Deployments are deleted in the last round only. */
async function rounds(
  session: Session,
  { operators, installers }: Sides,
  choice: Choice,
): Promise<Map<Column, RoundFigures[]>> {
  const crds = await controlPlaneCrdNames();
  const rest = restOf(choice);
  const measured = new Map<Column, RoundFigures[]>();
  for (let round = choice.warmUp ? 0 : 1; round <= choice.rounds; round++) {
    for (const side of orderOf([...operators, ...installers], round)) {
      const column = typeof side === 'string' ? side : side.label;
      const repairs = round === choice.rounds;
      const figures = await progress.step(`round ${String(round)}: ${column}`, async () => {
        if (typeof side !== 'string')
          return measureOperator(session, side, { crds, rest, repairs });
        await awaitRest(rest);
        return INSTALLERS[side](session, repairs);
      });
      if (round > 0) measured.set(column, [...(measured.get(column) ?? []), figures]);
    }
  }
  return measured;
}

interface Sides {
  readonly operators: readonly Operator[];
  readonly installers: readonly Installer[];
}

const OPERATORS: readonly OperatorLabel[] = ['ours', 'upstream'];

/** Installs the operators of the chosen sides, and loads the images of the chart. */
async function prepare(session: Session, { only }: Choice): Promise<Sides> {
  const isChosen = (column: Column): boolean => only === undefined || only === column;
  const operators: Operator[] = [];
  for (const label of OPERATORS.filter(isChosen)) {
    const install = (): Promise<Operator> => prepareOperator(session, label);
    operators.push(await progress.step(`install ${label}`, install));
  }
  const installers = keysOf(INSTALLERS).filter(isChosen);
  if (installers.includes('chart')) await loadChartImages(session);
  return { operators, installers };
}

async function measure(session: Session, choice: Choice): Promise<void> {
  const sides = await prepare(session, choice);
  const measured = await rounds(session, sides, choice);
  const upgraded = await upgrades(session, sides.operators);
  if (sides.installers.includes('chart'))
    upgraded.chart = await progress.step('upgrade: chart', () => upgradeChart(session));
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
    'Measure this operator, the Go operator, karmadactl init and the chart karmada in turn, and print the table of the README.',
  )
  .option('--rounds <number>', 'number of measured rounds', number, 5)
  .addOption(
    new Option('--only <side>', 'measure one side only').choices([
      ...OPERATORS,
      ...keysOf(INSTALLERS),
    ]),
  )
  .action((choice: Choice) =>
    onBenchCluster({ images, keep: choice.keep, progress }, (session) => measure(session, choice)),
  );

await runProgram(withSeriesOptions(program));
