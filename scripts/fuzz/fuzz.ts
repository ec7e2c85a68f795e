/** Runs a parser with many inputs, and finds those with which it fails or needs too much memory. */
import { newInput, type Random } from './mutate.ts';
import { isAnswer, type UntrustedParser } from './parser.ts';

/** Most memory that the result of one input may keep, and that the parser may keep after it, in bytes. */
export const MAX_MEMORY = 16 * 2 ** 20;

export interface FuzzTools {
  readonly random: Random;
  /** Monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Collects garbage. @returns the memory in use, in bytes */
  readonly usedMemory: () => number;
  /** Memory in use with garbage, in bytes. */
  readonly memory: () => number;
}

interface Finding {
  readonly input: Buffer;
  readonly problem: string;
}

export interface FuzzResult {
  readonly parser: string;
  readonly inputs: number;
  /** Inputs that the parser rejects with one of its errors. */
  readonly rejected: number;
  /** The longest time of one input, in milliseconds. */
  readonly longestMs: number;
  /** The most memory that the result of one input kept, in bytes; 0 if none needed a measurement. */
  readonly mostMemory: number;
  readonly findings: readonly Finding[];
}

/** Findings after which a parser is not run any longer. */
const MAX_FINDINGS = 5;

/**
 * Runs a parser until the time is over: first with its seeds and the kept inputs, then with new ones.
 * @param kept inputs with findings of earlier runs
 */
export async function fuzz(
  parser: UntrustedParser,
  kept: readonly Buffer[],
  ms: number,
  tools: FuzzTools,
): Promise<FuzzResult> {
  const { now, random } = tools;
  const end = now() + ms;
  const first = [...parser.seeds, ...kept];
  const findings: Finding[] = [];
  let [inputs, rejected, longestMs, mostMemory] = [0, 0, 0, 0];
  while (inputs < first.length || (now() < end && findings.length < MAX_FINDINGS)) {
    const input = first[inputs] ?? newInput(parser, kept, random);
    const run = await parsed(parser, input, tools);
    inputs += 1;
    rejected += run.isRejected ? 1 : 0;
    longestMs = Math.max(longestMs, run.ms);
    mostMemory = Math.max(mostMemory, run.kept);
    if (run.problem !== undefined) findings.push({ input, problem: run.problem });
  }
  return { parser: parser.name, inputs, rejected, longestMs, mostMemory, findings };
}

interface Run {
  readonly ms: number;
  readonly isRejected: boolean;
  /** Memory that the result keeps, in bytes. */
  readonly kept: number;
  readonly problem?: string;
}

async function parsed(parser: UntrustedParser, input: Buffer, tools: FuzzTools): Promise<Run> {
  const before = tools.memory();
  const outcome = await attempt(parser, input, tools);
  // Only a run that allocated much can keep much. A collection for each input would take most of the time.
  if (outcome.problem !== undefined || tools.memory() - before <= MAX_MEMORY / 2) return outcome;
  return { ...outcome, ...(await keptMemory(parser, input, tools)) };
}

/** Parses again between two collections. */
async function keptMemory(
  parser: UntrustedParser,
  input: Buffer,
  tools: FuzzTools,
): Promise<Pick<Run, 'kept' | 'problem'>> {
  const before = tools.usedMemory();
  const { result } = await attempt(parser, input, tools);
  const kept = Math.max(0, tools.usedMemory() - before);
  // The collection must not free the result.
  const isKept = result !== undefined && kept > MAX_MEMORY;
  return { kept, ...(isKept && { problem: `the result keeps ${String(kept)} bytes` }) };
}

async function attempt(
  parser: UntrustedParser,
  input: Buffer,
  { now }: FuzzTools,
): Promise<Run & { readonly result?: unknown }> {
  const start = now();
  const none = { kept: 0, isRejected: false };
  try {
    const result: unknown = await parser.parse(input);
    return { ...none, ms: now() - start, result };
  } catch (error) {
    if (isAnswer(error, parser)) return { ...none, ms: now() - start, isRejected: true };
    const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { ...none, ms: now() - start, problem };
  }
}
