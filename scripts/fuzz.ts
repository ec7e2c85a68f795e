/**
 * Runs all parsers of data that users and other servers control with mutated inputs:
 *
 *     npm run fuzz -- [--minutes 10] [--parser NAME] [--seed NUMBER]
 *
 * It keeps each input with a problem in `artifacts/fuzz/`, and the next run begins with them.
 */
import { createHash, randomInt } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Command, InvalidArgumentError } from 'commander';
import { checkout } from '../tools/embedded-cluster/paths.ts';
import { fuzz, type FuzzResult, type FuzzTools } from './fuzz/fuzz.ts';
import { randomOf } from './fuzz/mutate.ts';
import type { UntrustedParser } from './fuzz/parser.ts';
import { PARSERS } from './fuzz/parsers.ts';
import { fuzzReport } from './fuzz/report.ts';

const FOLDER = join(checkout, 'artifacts/fuzz');

function toolsOf(seed: number): FuzzTools {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const memory = (): number => {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const usedMemory = (): number => {
    collect();
    return memory();
  };
  return { random: randomOf(seed), now: () => performance.now(), memory, usedMemory };
}

const folderOf = ({ name }: UntrustedParser): string =>
  join(FOLDER, name.replaceAll(/[^a-z0-9]/gi, '-'));

async function keptInputs(parser: UntrustedParser): Promise<readonly Buffer[]> {
  const folder = folderOf(parser);
  const names = await readdir(folder).catch((): string[] => []);
  return Promise.all(names.sort().map((name) => readFile(join(folder, name))));
}

/** @returns the paths of the inputs */
async function keep(parser: UntrustedParser, { findings }: FuzzResult): Promise<readonly string[]> {
  const folder = folderOf(parser);
  if (findings.length > 0) await mkdir(folder, { recursive: true });
  return Promise.all(
    findings.map(async ({ input }) => {
      const path = join(folder, createHash('sha256').update(input).digest('hex').slice(0, 16));
      await writeFile(path, input);
      return path;
    }),
  );
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('must be a positive number');
  return value;
}

interface FuzzOptions {
  readonly minutes: number;
  readonly parser?: string;
  readonly seed?: number;
}

const program = new Command('npm run fuzz --')
  .description(
    'Run the parsers of untrusted data with mutated inputs, and report those with problems.',
  )
  .option('--minutes <number>', 'time for all parsers', positive, 10)
  .option('--parser <name>', 'run only this parser')
  .option('--seed <number>', 'seed of the random numbers, from the report of a run', positive)
  .action(async ({ minutes, parser: name, seed = randomInt(1, 2 ** 31) }: FuzzOptions) => {
    const parsers = PARSERS.filter((parser) => name === undefined || parser.name === name);
    if (parsers.length === 0)
      program.error(
        `error: no such parser; known are: ${PARSERS.map((one) => one.name).join('; ')}`,
      );
    const ms = (minutes * 60_000) / parsers.length;
    process.stdout.write(`seed ${String(seed)}\n`);
    let problems = 0;
    for (const parser of parsers) {
      const result = await fuzz(parser, await keptInputs(parser), ms, toolsOf(seed));
      problems += result.findings.length;
      process.stdout.write(fuzzReport(result, await keep(parser, result)));
    }
    process.exitCode = problems > 0 ? 1 : 0;
  });

await program.parseAsync();
