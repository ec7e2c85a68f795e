/**
 * Runs a job that is a program, and stores its result:
 *
 *     node scripts/run.mjs scripts/job.ts NAME [ARGUMENT ...]
 */
import { checkout } from '../tools/embedded-cluster/paths.ts';
import { programJobs, suiteOfJob } from './test/jobs.ts';
import { runProgram } from './test/program.ts';
import { addResults } from './test/results-file.ts';
import { programResult } from './test/results.ts';
import { treeDigest } from './test/tree.ts';

const [name, ...args] = process.argv.slice(2);
const job = programJobs.find((one) => one.name === name);
if (job?.program === undefined) {
  const names = programJobs.map((one) => one.name).join(', ');
  process.stderr.write(
    `usage: node scripts/run.mjs scripts/job.ts JOB, with JOB one of ${names}\n`,
  );
  process.exitCode = 2;
} else {
  process.chdir(checkout);
  const tree = await treeDigest(checkout);
  const from = Date.now();
  const passed = await runProgram([job.program, ...args]);
  const result = programResult({ suite: suiteOfJob(job), from, to: Date.now(), passed });
  // Arguments run a part of the job.
  if (args.length === 0) addResults(checkout, tree, [result]);
  process.exitCode = passed ? 0 : 1;
}
