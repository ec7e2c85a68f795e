import type { Install, Removal } from './measure.ts';
import { machineText, type Machine, type Rest } from './machine.ts';
import type { MemoryFigure } from './memory.ts';
import { median, medianInterval, summarise } from './statistics.ts';

/** One install and deletion on one of the sides. */
export interface Run {
  /** Label of the side. */
  readonly side: string;
  /** 1 for the first round; 0 for the warm-up round. */
  readonly round: number;
  readonly restBeforeInstall: Rest;
  readonly install: Install;
  readonly restBeforeRemoval: Rest;
  readonly removal: Removal;
}

/** Content of the file with the raw values. */
export interface Results {
  readonly machine: Machine;
  /** Kind of the installed control planes. */
  readonly kind: string;
  /** Start of the benchmark, RFC 3339. */
  readonly began: string;
  readonly runs: readonly Run[];
  readonly memory: readonly MemoryFigure[];
}

/** Compared values in milliseconds, in the order of the table. */
const figures: readonly { title: string; value: (run: Run) => number }[] = [
  { title: 'Install until it serves requests', value: ({ install }) => install.readyMs },
  {
    title: 'Install until the operator reports Ready',
    value: ({ install }) => install.saidReadyMs,
  },
  { title: 'Deletion until the Karmada is gone', value: ({ removal }) => removal.returnedMs },
  { title: 'Deletion until all objects are gone', value: ({ removal }) => removal.goneMs },
];

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(1);
const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** Labels of the two compared sides. The ratio is `of` divided by `to`. */
export interface Comparison {
  readonly of: string;
  readonly to: string;
}

function rowsOf(runs: readonly Run[], side: string): Run[] {
  return runs.filter((run) => run.side === side && run.round > 0);
}

function range(values: readonly number[]): string {
  if (values.length === 0) return '–';
  const { median: middle, min, max } = summarise(values);
  return `${seconds(middle)} s (${seconds(min)}–${seconds(max)})`;
}

/** Returns the ratios of the two sides for all rounds in which both were measured. */
export function pairedRatios(
  runs: readonly Run[],
  { of, to }: Comparison,
  value: (run: Run) => number,
): number[] {
  return rowsOf(runs, of).flatMap((one) => {
    const other = rowsOf(runs, to).find(({ round }) => round === one.round);
    return other === undefined ? [] : [value(one) / value(other)];
  });
}

function ratioCells(ratios: readonly number[]): string[] {
  if (ratios.length === 0) return ['–', '–'];
  const { upper, coverage } = medianInterval(ratios);
  return [median(ratios).toFixed(2), `${upper.toFixed(2)} (${percent(coverage)})`];
}

function timesTable(runs: readonly Run[], comparison: Comparison): string[] {
  const { of, to } = comparison;
  const head = ['', `${of}: median (min–max)`, `${to}: median (min–max)`, 'ratio', 'at most'];
  return [
    '',
    row(head),
    row(head.map(() => '---')),
    ...figures.map(({ title, value }) =>
      row([
        title,
        range(rowsOf(runs, of).map(value)),
        range(rowsOf(runs, to).map(value)),
        ...ratioCells(pairedRatios(runs, comparison, value)),
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

/** Returns caveats: load of other processes, and runs that started on a busy machine. */
function disturbances(runs: readonly Run[]): string[] {
  const loud = runs.filter(
    ({ restBeforeInstall, restBeforeRemoval }) =>
      !restBeforeInstall.quiet || !restBeforeRemoval.quiet,
  );
  const foreign = runs.map(({ install }) => install.load.foreign);
  const most = foreign.length === 0 ? 0 : Math.max(...foreign);
  return [
    `CPUs used by other processes during an install: at most ${most.toFixed(2)} on average.`,
    ...(loud.length === 0
      ? []
      : [`The machine was not idle before ${String(loud.length)} of ${String(runs.length)} runs.`]),
  ];
}

/** Formats a finished run as one line. */
export function runLine({ round, side, install, removal }: Run): string {
  const name = round === 0 ? 'warm-up' : `round ${String(round)}`;
  return [
    name.padEnd(8),
    side.padEnd(12),
    `ready after ${seconds(install.readyMs)} s, reported after ${seconds(install.saidReadyMs)} s,`,
    `deleted in ${seconds(removal.goneMs)} s`,
    `(cluster ${install.load.clusterSeconds.toFixed(1)} CPU s, other load ${install.load.foreign.toFixed(2)})`,
  ].join(' ');
}

/** Renders the results as Markdown, with a table for each comparison. */
export function report(
  { machine, kind, runs, memory }: Results,
  comparisons: readonly Comparison[],
): string {
  const rounds = new Set(runs.map(({ round }) => round).filter((round) => round > 0)).size;
  const times = [
    ...comparisons.flatMap((comparison) => timesTable(runs, comparison)),
    '',
    `${String(rounds)} rounds of installs (${kind}), in rotating order. The ratio is the median over the rounds. "at most"`,
    'is the upper bound of a confidence interval between order statistics for it, with the confidence level in',
    'parentheses. Times start at the create or delete call.',
    ...disturbances(runs),
  ];
  return [
    ...(runs.length === 0 ? [] : [...times, '']),
    ...(memory.length === 0 ? [] : [...memoryTable(memory), '']),
    machineText(machine),
    '',
  ].join('\n');
}
