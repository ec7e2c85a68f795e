/** Options of the test commands. */
import { parseArgs } from 'node:util';
import { JOBS, type Job } from './jobs.ts';
import { parseShard, type Shard } from './shards.ts';
import { projects, type Choice, type Project } from './stages.ts';

export interface TestOptions {
  readonly choice: Choice;
  /** Projects whose suites run. */
  readonly projects: readonly Project[];
  /** Parts of paths of the suites that the user named. */
  readonly patterns: readonly string[];
  /** True if all cases of a suite run, and their results are stored. */
  readonly complete: boolean;
  /** True for a run that the user did not limit to a project or to named suites. It removes its clusters. */
  readonly whole: boolean;
  /** True to run the checks, such as the linter. */
  readonly checks: boolean;
  /** True to skip suites that passed with the same files. */
  readonly resume: boolean;
  readonly shard: Shard | undefined;
  /** Text of the seed; undefined for that of the commit. */
  readonly seed: string | undefined;
}

const OPTIONS = {
  /** Runs all suites instead of a sample, and stores the results. */
  all: { type: 'boolean', default: false },
  /** Runs checks and unit tests only. */
  check: { type: 'boolean', default: false },
  /** Runs the suites of a job, and stores the results. */
  job: { type: 'string' },
  only: { type: 'string' },
  resume: { type: 'boolean', default: false },
  shard: { type: 'string' },
  seed: { type: 'string' },
} as const;

/** Returns the job with this name. @throws Error with the names of all jobs */
function jobNamed(name: string): Job {
  const job = JOBS.find((one) => one.name === name);
  if (job === undefined)
    throw new Error(`--job ${name}: unknown job; use ${JOBS.map((one) => one.name).join(', ')}`);
  return job;
}

interface Values {
  readonly all: boolean;
  readonly check: boolean;
  readonly job?: string | undefined;
}

function choiceOf({ all, check, job }: Values, patterns: readonly string[]): Choice {
  if (patterns.length > 0) return { kind: 'named' };
  if (job !== undefined) return { kind: 'job', job: jobNamed(job).name };
  if (all) return { kind: 'all' };
  return { kind: check ? 'check' : 'sample' };
}

/**
 * Parses the arguments of the test command.
 * @param seed seed from the environment
 * @throws Error that names the option
 */
export function parseOptions(args: readonly string[], seed: string | undefined): TestOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: OPTIONS,
    allowPositionals: true,
  });
  const { all, check, job, only, resume, shard } = values;
  const whole = only === undefined && positionals.length === 0;
  return {
    choice: choiceOf(values, positionals),
    projects: projects.filter((one) =>
      check ? one === 'unit' : only === undefined || one === only,
    ),
    patterns: positionals,
    complete: all || job !== undefined,
    whole,
    checks: whole && job === undefined,
    resume,
    shard: shard === undefined ? undefined : parseShard(shard),
    seed: values.seed ?? seed,
  };
}
