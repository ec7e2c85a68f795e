import { countIn } from '../../harness/traffic/summary.ts';
import type { Phase } from './measure.ts';

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** Formats the most frequent failures with their counts. */
function causes({ traffic }: Phase): string {
  const sorted = traffic.failed.toSorted((one, other) => other.count - one.count);
  return sorted
    .slice(0, 5)
    .map(({ client, way, kind, count, first }) => {
      const error = first[0]?.error.trim() ?? kind;
      return `  ${String(count)} × ${client} ${way}: ${error}`;
    })
    .join('\n');
}

function row(phase: Phase): string {
  const { operator, setup, what, seconds, finished, readings, traffic } = phase;
  const calls = sum(Object.values(traffic.calls));
  const lost = countIn(traffic.lost) + countIn(traffic.unseen);
  const lies = `${String(readings.lies.length)} of ${String(readings.samples)}`;
  const cells = [
    operator,
    setup,
    what,
    finished ? `${seconds.toFixed(1)} s` : `not within ${seconds.toFixed(0)} s`,
    ...[calls, countIn(traffic.failed), traffic.repeated, lost].map(String),
    lies,
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Renders the phases as a table, with the causes of failed requests below. */
export function report(phases: readonly Phase[]): string {
  const head = ['Operator', 'etcd', 'Change', 'Complete after', 'Requests'];
  const counts = ['Failed', 'Repeated', 'Lost', 'Wrong Ready'];
  const failures = phases.filter(({ traffic }) => traffic.failed.length > 0);
  return [
    `| ${[...head, ...counts].join(' | ')} |`,
    `| ${[...head, ...counts].map(() => '---').join(' | ')} |`,
    ...phases.map(row),
    ...failures.map((phase) => `\n${phase.operator}, ${phase.what}:\n${causes(phase)}`),
  ].join('\n');
}
