/** Formats the result of a parser. Pure function. */
import type { FuzzResult } from './fuzz.ts';

/** @param paths of the inputs of the findings */
export function fuzzReport(result: FuzzResult, paths: readonly string[]): string {
  const { parser, inputs, rejected, longestMs, mostMemory, findings } = result;
  const share = Math.round((100 * rejected) / Math.max(1, inputs));
  const memory = (mostMemory / 2 ** 20).toFixed(1);
  const state = findings.length === 0 ? 'ok' : `${String(findings.length)} problems`;
  const line = `${parser}: ${state}; ${String(inputs)} inputs, ${String(share)} % rejected; at most ${longestMs.toFixed(0)} ms and ${memory} MiB for one\n`;
  const problems = findings.map(
    ({ problem }, index) =>
      `  ${paths[index] ?? ''}: ${problem.split('\n').slice(0, 4).join(' ')}\n`,
  );
  return [line, ...problems].join('');
}
