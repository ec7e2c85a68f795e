import type { Phase } from './measure.ts';

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** Formats the most frequent failures with their counts. */
function causes({ traffic }: Phase): string {
  const counts = new Map<string, number>();
  for (const { client, way, error } of traffic.failed) {
    const text = `${client} ${way}: ${error.trim().slice(0, 400)}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([, one], [, other]) => other - one);
  return sorted
    .slice(0, 5)
    .map(([text, count]) => `  ${String(count)} × ${text}`)
    .join('\n');
}

function row(phase: Phase): string {
  const { operator, setup, what, seconds, finished, readings, traffic } = phase;
  const calls = sum(Object.values(traffic.calls));
  const lost = traffic.lost.length + traffic.unseen.length;
  const lies = `${String(readings.lies.length)} of ${String(readings.samples)}`;
  const cells = [
    operator,
    setup,
    what,
    finished ? `${seconds.toFixed(1)} s` : `not within ${seconds.toFixed(0)} s`,
    ...[calls, traffic.failed.length, traffic.repeated, lost].map(String),
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
