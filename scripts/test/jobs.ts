/** Jobs: tests that are too long for `npm run test:all`, and the parts of a nightly run. Imports no package. */

export interface Job {
  /** The command is `npm run test:NAME`. */
  readonly name: string;
  readonly description: string;
  /** Upper bound on two cores with warm caches, at most 150. */
  readonly minutes: number;
  /** Program of the job; without it, the job has the suites with `@job NAME`. */
  readonly program?: string;
}

export const JOBS: readonly Job[] = [
  {
    name: 'peer',
    description: 'e2e suites of Karmada against this operator and its control planes',
    minutes: 150,
    program: 'test/peer/main.ts',
  },
  {
    name: 'stubs',
    description: 'the operator is killed after each write and meets each fault, in stub clusters',
    minutes: 150,
  },
  {
    name: 'kills',
    description:
      'the operator is killed and its calls fail in real clusters, at some points of each kind',
    minutes: 60,
  },
  {
    name: 'identities',
    description: 'components with permissions of their own, and network policies',
    minutes: 150,
  },
  {
    name: 'faults',
    description: 'control planes with faults, whose status must name the cause and the action',
    minutes: 120,
  },
  {
    name: 'attacks',
    description: 'tenants of one operator that attack it, one after the other and all at once',
    minutes: 60,
  },
  {
    name: 'adoption',
    description:
      'control planes of the Go operator, with their etcd clusters, become those of this operator',
    minutes: 150,
  },
  {
    name: 'rotation',
    description:
      'CAs and the key of tokens of a control plane are replaced, under clients that call it all the time',
    minutes: 150,
  },
  {
    name: 'fleet',
    description:
      '1,000 control planes of one operator in a stub cluster, and 200 with a real API server',
    minutes: 120,
  },
];

/** Returns the name of a job that is a program, in the results. */
export const suiteOfJob = ({ name }: Job): string => `job/${name}`;

/** Jobs that are programs. The others have suites of their own in the results. */
export const programJobs: readonly Job[] = JOBS.filter(({ program }) => program !== undefined);

/** Number of parts of `npm run test:all` in a nightly run. */
const SHARDS = 4;

/** One part of a nightly run. */
export interface NightlyPart {
  readonly name: string;
  /** Arguments of `npm run`. */
  readonly run: string;
  /** Minutes after which the part is stopped, with time to build what it needs. */
  readonly timeout: number;
}

const PREPARATION = 60;

/** Returns the parts of a nightly run: all suites, and each job. */
export function nightlyParts(): NightlyPart[] {
  const shards = Array.from({ length: SHARDS }, (_, at) => {
    const shard = `${String(at + 1)}/${String(SHARDS)}`;
    return { name: `all-${String(at + 1)}`, run: `test:all -- --shard ${shard}`, timeout: 150 };
  });
  const jobs = JOBS.map(({ name, minutes }) => ({
    name,
    run: `test:${name}`,
    timeout: minutes + PREPARATION,
  }));
  return [...shards, ...jobs];
}
