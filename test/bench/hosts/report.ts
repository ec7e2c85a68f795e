import { summarise } from '../install/statistics.ts';

/** State of the five other host clusters: reachable (`well`) or unreachable (`dead`). */
export type State = 'well' | 'dead';

/** Measurements of the control planes in the management cluster in one phase, in milliseconds. */
export interface Phase {
  readonly state: State;
  /** 1 for the first round; 0 for the warm-up round. */
  readonly round: number;
  /** Duration of each reconcile. */
  readonly passes: readonly number[];
  /** Time from the deletion of each object until it was restored. */
  readonly returns: readonly number[];
}

/** Returns the percentile for a share (0 to 1) by nearest rank. @throws Error if there are no values */
export function percentile(values: readonly number[], share: number): number {
  const ordered = [...values].sort((a, b) => a - b);
  const found = ordered[Math.max(0, Math.ceil(ordered.length * share) - 1)];
  if (found === undefined) throw new Error('there are no values');
  return found;
}

interface Figure {
  readonly title: string;
  readonly of: (phase: Pick<Phase, 'passes' | 'returns'>) => number;
}

const FIGURES: readonly Figure[] = [
  { title: 'reconcile, p50', of: ({ passes }) => percentile(passes, 0.5) },
  { title: 'reconcile, p99', of: ({ passes }) => percentile(passes, 0.99) },
  { title: 'deleted object restored, p50', of: ({ returns }) => percentile(returns, 0.5) },
  { title: 'deleted object restored, p99', of: ({ returns }) => percentile(returns, 0.99) },
];

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** Merges all phases, so that the p99 has enough values. */
function together(phases: readonly Phase[]): Pick<Phase, 'passes' | 'returns'> {
  return {
    passes: phases.flatMap(({ passes }) => passes),
    returns: phases.flatMap(({ returns }) => returns),
  };
}

/** Formats the value of all rounds together, with the lowest and the highest value of one round. */
function ranged(whole: number, rounds: readonly number[], digits: number): string {
  const { min, max } = summarise(rounds);
  return `${whole.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;
}

/** Formats a finished phase as one line. */
export function phaseLine(phase: Phase): string {
  const name = phase.round === 0 ? 'warm-up' : `round ${String(phase.round)}`;
  const figures = FIGURES.map(({ title, of }) => `${title} ${of(phase).toFixed(1)} ms`);
  const hosts = phase.state === 'dead' ? 'unreachable' : 'reachable';
  return `${name}, 5 host clusters ${hosts}: ${figures.join(', ')} (${String(phase.passes.length)} reconciles)`;
}

/** Renders the results as Markdown, without the warm-up round. */
export function report(all: readonly Phase[]): string {
  const of = (state: State): readonly Phase[] =>
    all
      .filter((phase) => phase.round > 0 && phase.state === state)
      .sort((one, other) => one.round - other.round);
  const [well, dead] = [of('well'), of('dead')];
  const head = ['ms', '5 reachable', '5 unreachable', 'ratio'];
  const rows = FIGURES.map(({ title, of: value }) => {
    const [before, after] = [value(together(well)), value(together(dead))];
    const ratios = well.flatMap((phase, index) => {
      const other = dead[index];
      return other === undefined ? [] : [value(other) / value(phase)];
    });
    return row([
      title,
      ranged(before, well.map(value), 1),
      ranged(after, dead.map(value), 1),
      ranged(after / before, ratios, 2),
    ]);
  });
  const counts = [well, dead].map((phases) => String(together(phases).passes.length));
  return [
    row(head),
    row(head.map(() => '---')),
    ...rows,
    '',
    `All ${String(dead.length)} rounds together (lowest–highest of a round); ${counts.join(' and ')} reconciles.`,
    '',
  ].join('\n');
}
