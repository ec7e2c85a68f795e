import { summarise } from '../install/statistics.ts';

/** How the five hosts beside the measured instances are. */
export type State = 'well' | 'dead';

/** What was measured of the instances in the operator's own cluster in one phase, in milliseconds. */
export interface Phase {
  readonly state: State;
  /** 1 for the first round; 0 for the one that only warms up. */
  readonly round: number;
  /** Each pass over one of them. */
  readonly passes: readonly number[];
  /** Each deleted object, from the call that deleted it until it was there again. */
  readonly returns: readonly number[];
}

/** The smallest value that is not below this share of all, by nearest rank. @throws Error for no values */
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
  { title: 'deleted object is back, p50', of: ({ returns }) => percentile(returns, 0.5) },
  { title: 'deleted object is back, p99', of: ({ returns }) => percentile(returns, 0.99) },
];

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** All phases as if they were one: what is rare in each of them is not in all together. */
function together(phases: readonly Phase[]): Pick<Phase, 'passes' | 'returns'> {
  return {
    passes: phases.flatMap(({ passes }) => passes),
    returns: phases.flatMap(({ returns }) => returns),
  };
}

/** The value of all rounds together, with the lowest and the highest of one round. */
function ranged(whole: number, rounds: readonly number[], digits: number): string {
  const { min, max } = summarise(rounds);
  return `${whole.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;
}

/** One line for each finished phase. */
export function phaseLine(phase: Phase): string {
  const name = phase.round === 0 ? 'warm-up' : `round ${String(phase.round)}`;
  const figures = FIGURES.map(({ title, of }) => `${title} ${of(phase).toFixed(1)} ms`);
  return `${name}, 5 hosts ${phase.state}: ${figures.join(', ')} (${String(phase.passes.length)} passes)`;
}

/** The results as Markdown; the round that warms up is left out. */
export function report(all: readonly Phase[]): string {
  const of = (state: State): readonly Phase[] =>
    all
      .filter((phase) => phase.round > 0 && phase.state === state)
      .sort((one, other) => one.round - other.round);
  const [well, dead] = [of('well'), of('dead')];
  const head = ['ms', '5 healthy besides', '5 on dead hosts besides', 'ratio'];
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
    `All of ${String(dead.length)} rounds together (lowest–highest of a round); ${counts.join(' and ')} passes.`,
    '',
  ].join('\n');
}
