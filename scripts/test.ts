import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { checkout } from '../test/cluster/paths.ts';
import { down } from '../test/cluster/down.ts';
import { createProgress, duration } from '../test/cluster/progress.ts';
import { sharedCluster } from '../test/harness/shared.ts';
import { runChecks, runJest } from './test/stages.ts';
import { add, closingLine, none, type Counts } from './test/counts.ts';
import { addVerification, writeVerification } from './test/verification.ts';

/** Order of a full run: what fails fastest comes first. */
const suites = ['unit', 'integration', 'e2e'] as const;
type Suite = (typeof suites)[number];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    only: { type: 'string' },
    seed: { type: 'string', default: process.env['KARMADA_TEST_SEED'] },
  },
});

const seed = Number(values.seed ?? randomInt(1, 2 ** 31));
const tier = values.all ? 'all' : 'sample';
const out = createProgress(process.stdout);
const chosen = suites.filter((suite) => values.only === undefined || suite === values.only);

process.env['KARMADA_TEST_SEED'] = String(seed);
process.env['KARMADA_TEST_TIER'] = tier;
process.chdir(checkout);

async function main(): Promise<Counts> {
  out.note(`seed ${String(seed)}, ${tier === 'all' ? 'everything' : 'long suites sampled'}`);
  const began = Date.now();
  const results: [string, Counts][] = [];
  if (values.only === undefined) results.push(...runChecks(out));
  for (const suite of chosen) results.push([suite, await runSuite(suite)]);
  for (const [name, counts] of results) out.note(`${name.padEnd(12)} ${closingLine(counts)}`);
  const total = results.map(([, counts]) => counts).reduce(add, none);
  if (values.all) await keepResult(results, total, Date.now() - began);
  out.note(`all in ${duration(Date.now() - began)}`);
  return total;
}

async function keepResult(
  results: readonly [string, Counts][],
  total: Counts,
  milliseconds: number,
): Promise<void> {
  const part = [values.only, ...positionals].join(' ');
  if (values.only === undefined) await writeVerification(results, { seed, milliseconds });
  else await addVerification(part, total);
}

async function runSuite(suite: Suite): Promise<Counts> {
  const root = process.getuid?.() === 0;
  if (suite === 'e2e' && !root) out.note('e2e needs root: its tests are skipped');
  const counts = await runJest(suite, positionals, out);
  // Somebody who runs one suite will run it again soon: only a full run tidies up.
  if (suite === 'e2e' && root && values.only === undefined) await down(sharedCluster, out);
  return counts;
}

const total = await main();
process.stdout.write(`${closingLine(total)}\n`);
process.exitCode = total.failed === 0 ? 0 : 1;
