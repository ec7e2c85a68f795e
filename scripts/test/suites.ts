/** Test suites and what they declare about themselves in the first comment of their file. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { extract, parse } from 'jest-docblock';
import { isSize, type Size } from './sizes.ts';

/**
 * When a suite runs:
 * - `always`: in `npm test` and in `npm run test:all`; unit tests also in `npm run check`
 * - `test`: like `always`, for long unit tests, which `npm run check` leaves out
 * - `drawn`: in `npm run test:all`, and in `npm test` if the commit draws it
 * - `all`: only in `npm run test:all`
 * - `job`: only in a job; see `jobs.ts`
 */
type Tier = 'always' | 'test' | 'drawn' | 'all' | 'job';

export interface Suite {
  /** Path of the file, relative to the checkout. */
  readonly file: string;
  readonly tier: Tier;
  /** Size with all cases. */
  readonly size: Size;
  /** Size with the cases that `npm test` draws. */
  readonly sample: Size;
  /** True if no other suite may run meanwhile, for example because the suite inspects the whole machine. */
  readonly alone: boolean;
  /** Name of the job that has it with all cases, in place of `npm run test:all`. */
  readonly job: string | undefined;
}

/** Returns the name of a suite from the path of its file: `e2e/operator-crash` for `test/e2e/operator-crash.test.ts`. */
export const suiteOf = (file: string): string =>
  file.replace(/^test\//, '').replace(/\.test\.ts$/, '');

/** Returns true if a test file tests single modules and needs no server. */
export const isUnitTest = (file: string): boolean => !/^test\/(integration|e2e)\//.test(file);

/** Returns true if a test file needs an embedded cluster. */
export const isClusterTest = (file: string): boolean => file.startsWith('test/e2e/');

const TIERS: readonly string[] = ['always', 'drawn', 'all'] satisfies Tier[];
const UNIT_TIERS: readonly string[] = ['always', 'test'] satisfies Tier[];
const isTierOf =
  (file: string) =>
  (text: unknown): text is Tier =>
    typeof text === 'string' && (isUnitTest(file) ? UNIT_TIERS : TIERS).includes(text);

/** Pragmas of a test file that are no properties of the suite, but of jest. */
const FOREIGN = /^jest-/;
const PRAGMAS: readonly string[] = ['size', 'sample', 'tier', 'job', 'alone'];

function checkNames(file: string, pragmas: object): void {
  const unknown = Object.keys(pragmas).find(
    (name) => !PRAGMAS.includes(name) && !FOREIGN.test(name),
  );
  if (unknown !== undefined)
    throw new Error(`${file}: unknown @${unknown}; known are @${PRAGMAS.join(', @')}`);
}

/** Returns the value of a pragma if it is one of the allowed values, and the default without the pragma. */
function valueOf<T>(
  name: string,
  value: unknown,
  isAllowed: (value: unknown) => value is T,
  fallback: T,
): T {
  if (value === undefined) return fallback;
  if (!isAllowed(value)) throw new Error(`@${name} ${String(value)}: unknown value`);
  return value;
}

/**
 * Parses the properties of a suite. A suite in a cluster has the size `medium` and the tier `drawn` by default, all
 * others have the size `small` and the tier `always`. A suite with a job has no other tier by default.
 * @param text content of the file
 * @throws Error that names the file and the wrong pragma
 */
export function parseSuite(file: string, text: string): Suite {
  const pragmas: Readonly<Record<string, unknown>> = parse(extract(text));
  checkNames(file, pragmas);
  const usual: Pick<Suite, 'tier' | 'size'> = isClusterTest(file)
    ? { tier: 'drawn', size: 'medium' }
    : { tier: 'always', size: 'small' };
  const job = typeof pragmas['job'] === 'string' ? pragmas['job'] : undefined;
  const usualTier = job === undefined ? usual.tier : 'job';
  try {
    const size = valueOf('size', pragmas['size'], isSize, usual.size);
    return {
      file,
      size,
      job,
      alone: pragmas['alone'] !== undefined,
      tier: valueOf<Tier>('tier', pragmas['tier'], isTierOf(file), usualTier),
      sample: valueOf('sample', pragmas['sample'], isSize, size),
    };
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Reads the properties of suites from their files. */
export const readSuites = (root: string, files: readonly string[]): Suite[] =>
  files.map((file) => parseSuite(file, readFileSync(join(root, file), 'utf8')));
