/** Selects the cases of a suite by their ids. */
import { SELECTIONS, selectionOf } from '../../scripts/test/selections.ts';
import { drawn } from './sample.ts';

interface Case {
  readonly id: string;
  readonly title: string;
}

/** Number of cases in a sample. */
const SAMPLE = 2;

/**
 * Returns the cases that the variable of the suite selects: for each of its texts the case with this id, otherwise those whose ids
 * begin with it. Without a text all cases in a complete run, otherwise two.
 * @throws Error if a text selects no case
 */
export function selectCases<T extends Case>(
  suite: keyof typeof SELECTIONS,
  cases: readonly T[],
  environment: Readonly<Record<string, string | undefined>>,
): readonly T[] {
  const given = selectionOf(suite, environment);
  if (given === undefined) return drawn(cases, SAMPLE, ({ title }) => title);
  const found = given.map((text) => matching(cases, text));
  const unknown = given.filter((_, at) => found[at]?.length === 0);
  if (unknown.length > 0)
    throw new Error(`${SELECTIONS[suite]}: no id begins with ${unknown.join()}`);
  const chosen = new Set(found.flat());
  return cases.filter((one) => chosen.has(one));
}

function matching<T extends Case>(cases: readonly T[], text: string): readonly T[] {
  const exact = cases.filter(({ id }) => id === text);
  return exact.length > 0 ? exact : cases.filter(({ id }) => id.startsWith(text));
}
