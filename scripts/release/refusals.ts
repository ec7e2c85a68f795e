/** Reasons against a release. Pure functions. */
import { passedWith, type CaseResult } from '../test/ledger.ts';

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

/** A suite with its last results. */
export interface VerifiedSuite {
  readonly suite: string;
  readonly rows: readonly CaseResult[];
  /** Digest of the current inputs. */
  readonly key: string;
}

/** Days after which a result is too old for a release. */
const MAXIMUM_AGE = 7;

const day = (text: string): number => Date.parse(`${text}T00:00:00Z`) / 86_400_000;

/**
 * Returns why the results of a suite do not suffice for a release; undefined if they do.
 * @param today day, as YYYY-MM-DD
 */
export function suiteRefusal(
  { suite, rows, key }: VerifiedSuite,
  today: string,
): string | undefined {
  const [oldest] = rows.map(({ date }) => date).sort();
  if (oldest === undefined) return `${suite}: no recorded result`;
  const failed = rows.filter(({ result }) => result === 'failed').map((row) => row.case);
  if (failed.length > 0) return `${suite}: failed: ${failed.join('; ')}`;
  if (!passedWith(rows, key)) return `${suite}: passed on ${oldest} with other inputs`;
  // Also without a date that can be compared.
  if (!(day(today) - day(oldest) <= MAXIMUM_AGE))
    return `${suite}: last passed on ${oldest}, more than ${String(MAXIMUM_AGE)} days ago`;
  return undefined;
}

/** Returns the reasons against a release in the results of all suites, sorted by suite. */
export function verificationRefusals(suites: readonly VerifiedSuite[], today: string): string[] {
  return suites.flatMap((suite) => suiteRefusal(suite, today) ?? []).sort();
}

/** Returns the first lines, and the number of the others. */
export function shortened(lines: readonly string[], limit: number): string[] {
  const left = lines.length - limit;
  return left <= 0 ? [...lines] : [...lines.slice(0, limit), `and ${String(left)} more reasons`];
}
