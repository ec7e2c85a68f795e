/** Prints the parts of a nightly run as the matrix of its workflow. Runs without installed packages. */
import { nightlyParts } from './test/jobs.ts';

process.stdout.write(`${JSON.stringify(nightlyParts())}\n`);
