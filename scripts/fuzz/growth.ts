/** Measures how the time of a parser grows with its input. */
import { isAnswer, type UntrustedParser } from './parser.ts';

/** Largest growth of the time for twice the input. A linear parser has 2. */
export const LARGEST_GROWTH = 2.5;

/** Length of the longer input in bytes, unless the parser rejects it. */
const LENGTH = 65_536;
const WARM_UP = 1_024;
/** Below, the time is that of the measurement. A quadratic parser needs much more for an input of this length. */
const SHORTEST_MS = 20;
const RUNS = 3;
const ATTEMPTS = 3;

/**
 * Returns the factor by which the CPU time grows from an input of repeated tokens to one of twice its length. Repeats a
 * measurement that exceeds the largest growth, because other processes change the speed of a processor.
 */
export async function growth(parser: UntrustedParser, token: string): Promise<number> {
  const length = Math.min(LENGTH, parser.limit);
  const [short, long] = [inputOf(parser, token, length / 2), inputOf(parser, token, length)];
  // The first run compiles the parser.
  await cpuMs(parser, inputOf(parser, token, WARM_UP));
  if ((await cpuMs(parser, long)) < SHORTEST_MS) return 1;
  let least = Infinity;
  for (let attempt = 0; attempt < ATTEMPTS && least > LARGEST_GROWTH; attempt += 1) {
    // In turn, so that both get the fast moments of the processor.
    const times: [number[], number[]] = [[], []];
    for (let run = 0; run < RUNS; run += 1) {
      times[0].push(await cpuMs(parser, short));
      times[1].push(await cpuMs(parser, long));
    }
    const [before, after] = times.map((all) => Math.min(...all)) as [number, number];
    least = Math.min(least, after < SHORTEST_MS ? 1 : after / before);
  }
  return least;
}

function inputOf({ wrap }: UntrustedParser, token: string, length: number): Buffer {
  const text = token.repeat(Math.floor(length / Buffer.byteLength(token, 'latin1')));
  return wrap === undefined ? Buffer.from(text, 'latin1') : wrap(text);
}

async function cpuMs(parser: UntrustedParser, input: Buffer): Promise<number> {
  const start = process.cpuUsage();
  try {
    await parser.parse(input);
  } catch (error) {
    if (!isAnswer(error, parser)) throw error;
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
