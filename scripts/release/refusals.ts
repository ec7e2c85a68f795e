/** Reasons against a release. Pure functions. */
import type { Results, SuiteResult } from '../test/results.ts';

/** State of the checkout. */
export interface SourceState {
  readonly version: string;
  /** Commit of the checkout. */
  readonly commit: string;
  /** Changed and new files. */
  readonly changes: readonly string[];
  /** Commit that the tag of the version names; undefined without such a tag. */
  readonly tagged: string | undefined;
  /** Tags of the commit of the checkout. */
  readonly tags: readonly string[];
  /** Files whose version differs from package.json. */
  readonly outdated: readonly string[];
}

/** Returns the tag of a version. */
export const tagOf = (version: string): string => `v${version}`;

/** Returns the reasons against a release of this checkout; empty if there are none. */
export function sourceRefusals(state: SourceState): string[] {
  const { version, commit, changes, tagged, tags, outdated } = state;
  const tag = tagOf(version);
  const others = tags.filter((one) => /^v\d+\.\d+\.\d+/.test(one) && one !== tag);
  return [
    ...(changes.length === 0
      ? []
      : [`the checkout has changes that are not committed: ${changes.join(', ')}`]),
    ...(tagged === undefined || tagged === commit
      ? []
      : [`tag ${tag} names another commit, ${tagged}: set a new version in package.json`]),
    ...others.map((one) => `the commit has tag ${one}, but package.json has version ${version}`),
    ...outdated.map((path) => `${path}: version differs from package.json; run npm run deploy`),
  ];
}

/** Domain of the addresses that a publisher replaces. No domain ends in `invalid` (RFC 2606). */
const PUBLISHER = 'publisher.invalid';

/** Line with the address for reports of vulnerabilities. */
const CONTACT = /^Contact: <?(?:mailto:)?(?:[^\s@<>]+@[^\s@<>]+|https:\/\/[^\s<>]+)>?$/m;

/**
 * Returns the reasons against a release in the files with addresses of the publisher.
 * @param texts path to content
 */
export function publisherRefusals(texts: Readonly<Record<string, string>>): string[] {
  const unfilled = Object.keys(texts).filter((path) => texts[path]?.includes(PUBLISHER));
  const contact = CONTACT.test(texts['SECURITY.md'] ?? '')
    ? []
    : [
        'SECURITY.md: no line "Contact: " with an email address or a URL: write where to report vulnerabilities',
      ];
  return [
    ...contact,
    ...unfilled.map((path) => `${path}: replace ${PUBLISHER} by the address of the publisher`),
  ];
}

const caseTitles = ({ cases }: SuiteResult): string => {
  const failed = cases.filter(({ passed }) => !passed).map(({ title }) => title);
  return failed.length === 0 ? '' : `: ${failed.join('; ')}`;
};

/**
 * Returns the reasons against a release in the results of its suites, sorted by suite.
 * @param results results of the tree of this checkout; undefined if there are none
 * @param expected names of all suites
 */
export function resultRefusals(
  results: Results | undefined,
  { tree, expected }: { tree: string; expected: readonly string[] },
): string[] {
  if (results?.tree !== tree)
    return [
      `no results of tests for these files, ${tree}: run \`npm run test:all\` and the jobs, or download the results of a nightly run`,
    ];
  const known = new Map(results.suites.map((result) => [result.suite, result]));
  const missing = expected.filter((suite) => !known.has(suite));
  const failed = results.suites.filter(({ passed }) => !passed);
  return [
    ...failed.map((result) => `${result.suite}: failed${caseTitles(result)}`),
    ...missing.map((suite) => `${suite}: no result`),
  ].sort();
}

/** Returns the first lines, and the number of the others. */
export function shortened(lines: readonly string[], limit: number): string[] {
  const left = lines.length - limit;
  return left <= 0 ? [...lines] : [...lines.slice(0, limit), `and ${String(left)} more reasons`];
}
