/** Formats figures of fleets as a Markdown table. Pure functions. */
import { percentile } from '../hosts/report.ts';
import type { FleetFigures, PhaseFigures } from './measure.ts';

type Row = readonly [title: string, valueOf: (figures: FleetFigures) => string];

const seconds = (value: number): string => `${value.toFixed(1)} s`;
const mebibytes = (value: number): string => `${value.toFixed(0)} MiB`;

const requestsOf = ({ requests: { host, inside } }: PhaseFigures): string =>
  `${host.toFixed(1)} / ${inside.toFixed(1)}`;

/** Reconciles are counted in buckets, so a quantile is known only as an upper bound. */
function bound(value: number | undefined): string {
  if (value === undefined) return '-';
  return value === Infinity ? '> 10 s' : `≤ ${String(value)} s`;
}

const reconcileOf = ({ reconcile: { p50, p99 } }: PhaseFigures): string =>
  `${bound(p50)}, ${bound(p99)}`;

function repairsOf({ repairsMs }: PhaseFigures): string {
  if (repairsMs.length === 0) return '-';
  const found = [0.5, 0.99].map((share) => `${percentile(repairsMs, share).toFixed(0)} ms`);
  return `${found.join(', ')} (${String(repairsMs.length)})`;
}

const kibibytesEach = ({ restMemory, emptyMemory, count }: FleetFigures): string =>
  `${(((restMemory - emptyMemory) * 1024) / count).toFixed(0)} KiB`;

const ROWS: readonly Row[] = [
  ['all Ready after the last was created', ({ install }) => seconds(install.seconds)],
  [
    'one Ready: median, highest',
    ({ timesMs }) =>
      [0.5, 1].map((share) => seconds(percentile(timesMs, share) / 1_000)).join(', '),
  ],
  ['requests for each: host / inside', ({ install }) => requestsOf(install)],
  [
    'processor time of the operator for each',
    ({ install, count }) => `${((install.processorSeconds * 1_000) / count).toFixed(0)} ms`,
  ],
  ['reconcile: p50, p99', ({ install }) => reconcileOf(install)],
  ['repair during the installation: p50, p99', ({ install }) => repairsOf(install)],
  ['memory: highest', ({ install }) => mebibytes(install.peak)],
  ['at rest: memory', ({ restMemory }) => mebibytes(restMemory)],
  ['at rest: memory for each', kibibytesEach],
  ['at rest: writes', ({ rest }) => String(rest.writes)],
  ['at rest: reconcile: p50, p99', ({ rest }) => reconcileOf(rest)],
  [
    'at rest: share of a core',
    ({ rest }) => `${((rest.processorSeconds * 100) / rest.seconds).toFixed(1)} %`,
  ],
  ['restart: at rest after', ({ restart }) => seconds(restart.seconds)],
  ['restart: requests for each: host / inside', ({ restart }) => requestsOf(restart)],
  [
    'restart: writes, status changes, lost Ready',
    ({ restart: { writes, statusChanges, lost } }) =>
      [writes, statusChanges, lost].map(String).join(', '),
  ],
  ['restart: repair: p50, p99', ({ restart }) => repairsOf(restart)],
  ['restart: memory: highest', ({ restart }) => mebibytes(restart.peak)],
  ['processes of the operator', ({ processes }) => String(processes)],
];

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** Renders a table with a column for each fleet. */
export function report(fleets: readonly FleetFigures[]): string {
  const head = ['Control planes', ...fleets.map(({ count }) => String(count))];
  const rows = ROWS.map(([title, valueOf]) => row([title, ...fleets.map(valueOf)]));
  return [row(head), row(head.map(() => '---')), ...rows, ''].join('\n');
}
