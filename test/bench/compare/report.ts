/** The table of the README that compares ways to install and operate Karmada. */
import type { TrafficReport } from '../../harness/traffic/report.ts';
import { summarise } from '../install/statistics.ts';

/** Time limit of a repair in seconds. An object that is not back by then counts as not restored. */
export const REPAIR_LIMIT_S = 60;

/** An upgrade under load. */
export interface UpgradeFigure {
  readonly requests: number;
  readonly failed: number;
  /** Time until it was complete, or until the measurement gave up. */
  readonly seconds: number;
  readonly finished: boolean;
}

/** Returns the figures of an upgrade from the report of the clients. */
export const upgradeFigure = (
  { calls, failed }: Pick<TrafficReport, 'calls' | 'failed'>,
  rest: Pick<UpgradeFigure, 'seconds' | 'finished'>,
): UpgradeFigure => ({
  requests: Object.values(calls).reduce((sum, count) => sum + count, 0),
  failed: failed.length,
  ...rest,
});

/** Measurements of one way to install Karmada. */
export interface Measured {
  /** Seconds until the control plane served requests, one for each round. */
  readonly installs: readonly number[];
  /** Undefined if it has no command for an upgrade. */
  readonly upgrade?: UpgradeFigure;
  /** Seconds until a deleted Deployment was back; undefined if it was not back within the limit. */
  readonly repairs: readonly (number | undefined)[];
}

/** The compared ways, in the order of the columns. */
const COLUMNS = {
  ours: 'This operator',
  upstream: 'Go operator',
  karmadactl: '`karmadactl init`',
  chart: 'Chart `karmada`',
} as const;

export type Column = keyof typeof COLUMNS;

/** Figures by column. A column without figures is not measured. */
export type Figures = Readonly<Partial<Record<Column, Measured>>>;

const NOT_MEASURED = 'not measured';

const count = (value: number): string => value.toLocaleString('en-US');

function installCell({ installs }: Measured): string {
  const { median, min, max } = summarise(installs);
  return `${median.toFixed(1)} s (${min.toFixed(1)}–${max.toFixed(1)})`;
}

function upgradeCell({ upgrade }: Measured): string {
  if (upgrade === undefined) return 'no command';
  const { failed, requests, finished, seconds } = upgrade;
  const end = finished ? `in ${seconds.toFixed(1)} s` : `not complete in ${seconds.toFixed(0)} s`;
  return `${count(failed)} of ${count(requests)}, ${end}`;
}

function repairCell({ repairs }: Measured): string {
  const restored = repairs.filter((seconds) => seconds !== undefined);
  if (restored.length === repairs.length) return `${summarise(restored).median.toFixed(2)} s`;
  const limit = `within ${String(REPAIR_LIMIT_S)} s`;
  return restored.length === 0
    ? `not ${limit}`
    : `${String(restored.length)} of ${String(repairs.length)} ${limit}`;
}

const ROWS: readonly (readonly [title: string, cell: (measured: Measured) => string])[] = [
  ['installation, until the control plane serves requests, median', installCell],
  ['failed requests of clients during an upgrade, one etcd member', upgradeCell],
  ['a deleted object of the control plane is back, median', repairCell],
];

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** Renders the table, without a text. */
export function comparisonTable(figures: Figures): string {
  const columns = Object.keys(COLUMNS) as Column[];
  const head = ['What', ...columns.map((column) => COLUMNS[column])];
  return [
    row(head),
    row(head.map(() => '---')),
    ...ROWS.map(([title, cell]) =>
      row([
        title,
        ...columns.map((column) => {
          const measured = figures[column];
          return measured === undefined ? NOT_MEASURED : cell(measured);
        }),
      ]),
    ),
  ].join('\n');
}
