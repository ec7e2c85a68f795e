import type { Install, Removal } from './measure.ts';
import { machineText, type Machine, type Rest } from './machine.ts';
import type { MemoryFigure } from './memory.ts';
import type { OperatorLabel } from './operators.ts';
import { median, medianInterval, summarise } from './statistics.ts';

/** One instance, installed and deleted by one operator. */
export interface Run {
  readonly operator: OperatorLabel;
  /** 1 for the first pair; 0 for the pair that only warms up. */
  readonly pair: number;
  readonly restBeforeInstall: Rest;
  readonly install: Install;
  readonly restBeforeRemoval: Rest;
  readonly removal: Removal;
}

/** What is written to the file of raw values. */
export interface Results {
  readonly machine: Machine;
  readonly kind: string;
  /** When the benchmark began, RFC 3339. */
  readonly began: string;
  readonly runs: readonly Run[];
  readonly memory: readonly MemoryFigure[];
}

/** What is compared, in the order of the table; all in milliseconds. */
const figures: readonly { title: string; value: (run: Run) => number }[] = [
  { title: 'Install until truly ready', value: ({ install }) => install.readyMs },
  { title: 'Install until the operator says so', value: ({ install }) => install.saidReadyMs },
  { title: 'Deletion until the Karmada is gone', value: ({ removal }) => removal.returnedMs },
  { title: 'Deletion until nothing is left', value: ({ removal }) => removal.goneMs },
];

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(1);
const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

function rowsOf(runs: readonly Run[], operator: OperatorLabel): Run[] {
  return runs.filter((run) => run.operator === operator && run.pair > 0);
}

function range(values: readonly number[]): string {
  if (values.length === 0) return '–';
  const { median: middle, min, max } = summarise(values);
  return `${seconds(middle)} s (${seconds(min)}–${seconds(max)})`;
}

/** Quotients ours / upstream's of the pairs in which both were measured. */
export function pairedRatios(runs: readonly Run[], value: (run: Run) => number): number[] {
  return rowsOf(runs, 'ours').flatMap((ours) => {
    const upstream = rowsOf(runs, 'upstream').find(({ pair }) => pair === ours.pair);
    return upstream === undefined ? [] : [value(ours) / value(upstream)];
  });
}

function ratioCells(ratios: readonly number[]): string[] {
  if (ratios.length === 0) return ['–', '–'];
  const { upper, coverage } = medianInterval(ratios);
  return [median(ratios).toFixed(2), `${upper.toFixed(2)} (${percent(coverage)})`];
}

function timesTable(runs: readonly Run[]): string[] {
  const head = ['', 'ours: median (min–max)', "upstream's: median (min–max)", 'ratio', 'at most'];
  return [
    row(head),
    row(head.map(() => '---')),
    ...figures.map(({ title, value }) =>
      row([
        title,
        range(rowsOf(runs, 'ours').map(value)),
        range(rowsOf(runs, 'upstream').map(value)),
        ...ratioCells(pairedRatios(runs, value)),
      ]),
    ),
  ];
}

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

function memoryTable(memory: readonly MemoryFigure[]): string[] {
  const head = ['Instances', 'operator', 'working set: median (max)', 'anonymous', 'RSS'];
  return [
    row(head),
    row(head.map(() => '---')),
    ...memory.map(({ instances, operator, workingSet, anonymous, resident }) => {
      const { median: middle, max } = summarise(workingSet);
      const set = `${mebibytes(middle)} (${mebibytes(max)})`;
      const others = [anonymous, resident].map((values) => mebibytes(median(values)));
      return row([String(instances), operator, set, ...others]);
    }),
  ];
}

/** Caveats: what of the runs makes the figures worth less. */
function disturbances(runs: readonly Run[]): string[] {
  const loud = runs.filter(
    ({ restBeforeInstall, restBeforeRemoval }) =>
      !restBeforeInstall.quiet || !restBeforeRemoval.quiet,
  );
  const foreign = runs.map(({ install }) => install.load.foreign);
  const most = foreign.length === 0 ? 0 : Math.max(...foreign);
  return [
    `Processors busy with something else during an install: at most ${most.toFixed(2)} on average.`,
    ...(loud.length === 0
      ? []
      : [`The machine was not idle before ${String(loud.length)} of ${String(runs.length)} runs.`]),
  ];
}

/** One line for each finished run. */
export function runLine({ pair, operator, install, removal }: Run): string {
  const name = pair === 0 ? 'warm-up' : `pair ${String(pair)}`;
  return [
    name.padEnd(8),
    operator.padEnd(9),
    `ready ${seconds(install.readyMs)} s, said so after ${seconds(install.saidReadyMs)} s,`,
    `deleted in ${seconds(removal.goneMs)} s`,
    `(cluster ${install.load.clusterSeconds.toFixed(1)} CPU s, foreign load ${install.load.foreign.toFixed(2)})`,
  ].join(' ');
}

/** The results as Markdown. */
export function report({ machine, kind, runs, memory }: Results): string {
  const pairs = new Set(runs.map(({ pair }) => pair).filter((pair) => pair > 0)).size;
  const times = [
    ...timesTable(runs),
    '',
    `${String(pairs)} pairs of installs (${kind}), the order changing from pair to pair. The ratio is the median over the`,
    'pairs; "at most" is the upper end of an interval between order statistics for it, with the likelihood that the',
    'interval holds it. Times run from the create or delete call.',
    ...disturbances(runs),
  ];
  return [
    ...(runs.length === 0 ? [] : [...times, '']),
    ...(memory.length === 0 ? [] : [...memoryTable(memory), '']),
    machineText(machine),
    '',
  ].join('\n');
}
