/** Measures how the time of a function grows with its input. */
import { isAnswer, type UntrustedParser } from './parser.ts';

/** Largest growth of the time for twice the input. A linear function has 2. */
export const LARGEST_GROWTH = 2.5;

/** Length of the longer input of a parser in bytes, unless the parser rejects it. */
const LENGTH = 65_536;
const WARM_UP = 1_024;
/** Below, the time is that of the measurement. A quadratic function needs much more for an input of this length. */
const SHORTEST_MS = 20;
const RUNS = 3;
const ATTEMPTS = 6;

/** A function whose input can have any length. */
export interface Measured<T> {
  /** Creates an input of a length in bytes. Its time is not measured. */
  readonly input: (length: number) => T;
  readonly run: (input: T) => unknown;
  /** Length of the longer input in bytes. */
  readonly length: number;
}

/** Returns the factor by which the CPU time of a parser grows from an input of repeated tokens to one of twice its length. */
export const growth = (parser: UntrustedParser, token: string): Promise<number> =>
  growthOf({
    input: (length) => inputOf(parser, token, length),
    run: (input) => parsed(parser, input),
    length: Math.min(LENGTH, parser.limit),
  });

/**
 * Returns the factor by which the CPU time grows from an input to one of twice its length. Repeats a measurement that exceeds the
 * largest growth, because other processes change the speed of a processor.
 */
export async function growthOf<T>({ input, run, length }: Measured<T>): Promise<number> {
  const [short, long] = [input(length / 2), input(length)];
  // The first run compiles the function.
  await cpuMs(run, input(WARM_UP));
  if ((await cpuMs(run, long)) < SHORTEST_MS) return 1;
  let least = Infinity;
  for (let attempt = 0; attempt < ATTEMPTS && least > LARGEST_GROWTH; attempt += 1) {
    // In turn, so that both get the fast moments of the processor.
    const times: [number[], number[]] = [[], []];
    for (let repeat = 0; repeat < RUNS; repeat += 1) {
      times[0].push(await cpuMs(run, short));
      times[1].push(await cpuMs(run, long));
    }
    const [before, after] = [Math.min(...times[0]), Math.min(...times[1])];
    least = Math.min(least, after < SHORTEST_MS ? 1 : after / before);
  }
  return least;
}

/**
 * Returns the functions whose time grows faster than their input, with the factor.
 * @param stages functions by name, which share their inputs
 */
export async function slowStages<T>(
  stages: Readonly<Record<string, (input: T) => unknown>>,
  { input, length }: Omit<Measured<T>, 'run'>,
): Promise<readonly string[]> {
  const inputs = new Map<number, T>();
  const once = (wanted: number): T => {
    const made = inputs.get(wanted) ?? input(wanted);
    inputs.set(wanted, made);
    return made;
  };
  const slow: string[] = [];
  for (const [name, run] of Object.entries(stages)) {
    const factor = await growthOf({ input: once, run, length });
    if (factor > LARGEST_GROWTH) slow.push(`${name}: ${factor.toFixed(1)}`);
  }
  return slow;
}

function inputOf({ wrap }: UntrustedParser, token: string, length: number): Buffer {
  const text = token.repeat(Math.floor(length / Buffer.byteLength(token, 'latin1')));
  return wrap === undefined ? Buffer.from(text, 'latin1') : wrap(text);
}

async function parsed(parser: UntrustedParser, input: Buffer): Promise<void> {
  try {
    await parser.parse(input);
  } catch (error) {
    if (!isAnswer(error, parser)) throw error;
  }
}

async function cpuMs<T>(run: (input: T) => unknown, input: T): Promise<number> {
  const start = process.cpuUsage();
  await run(input);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
