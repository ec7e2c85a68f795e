/** Suites of which a user can select cases with an environment variable. Their results are not those of the suite. */

/** Name of the variable by suite. */
export const SELECTIONS = {
  'e2e/faults': 'KARMADA_TEST_FAULTS',
  'e2e/tenant-attacks': 'KARMADA_TEST_ATTACKS',
} as const;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the texts that select cases of a suite: beginnings of ids with commas between them.
 * @returns undefined if the user selects none, so that the kind of the run determines the cases
 */
export function selectionOf(
  suite: keyof typeof SELECTIONS,
  environment: Environment,
): readonly string[] | undefined {
  const texts = (environment[SELECTIONS[suite]] ?? '').split(',').map((text) => text.trim());
  const given = texts.filter((text) => text !== '');
  return given.length === 0 ? undefined : given;
}

/** Returns the variable that selects cases of a suite in this run; undefined if the run has the cases of its kind. */
export function selectedBy(suite: string, environment: Environment): string | undefined {
  return isSelectable(suite) && selectionOf(suite, environment) !== undefined
    ? SELECTIONS[suite]
    : undefined;
}

const isSelectable = (suite: string): suite is keyof typeof SELECTIONS =>
  Object.hasOwn(SELECTIONS, suite);
