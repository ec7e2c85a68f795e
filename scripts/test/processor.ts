import { readFileSync } from 'node:fs';

/** CPU time of the machine since its start, in ticks, at one time. */
export interface ProcessorSample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly idle: number;
  readonly total: number;
}

/**
 * Reads the first line of `/proc/stat`.
 * @param text the content of that file; see proc_stat(5)
 */
export function parseProcessor(text: string, at: number): ProcessorSample {
  const [first = ''] = text.split('\n');
  // user, nice, system, idle, iowait, irq, softirq, steal; guest time is part of user time.
  const ticks = first.trim().split(/\s+/).slice(1, 9).map(Number);
  const idle = (ticks[3] ?? 0) + (ticks[4] ?? 0);
  return { at, idle, total: ticks.reduce((sum, tick) => sum + tick, 0) };
}

/**
 * Computes the share of idle CPU time between two times, from 0 to 1.
 * @param from milliseconds since the epoch
 * @param to milliseconds since the epoch
 * @returns undefined if the samples around these times are equal or missing
 */
export function idleShare(
  samples: readonly ProcessorSample[],
  from: number,
  to: number,
): number | undefined {
  const first = samples.findLast(({ at }) => at <= from) ?? samples[0];
  const last = samples.find(({ at }) => at >= to) ?? samples.at(-1);
  if (first === undefined || last === undefined || last.total <= first.total) return undefined;
  return (last.idle - first.idle) / (last.total - first.total);
}

/** Samples the CPU time every second until `stop` is called. */
export function watchProcessors(): { readonly samples: ProcessorSample[]; stop(): void } {
  const samples: ProcessorSample[] = [];
  const sample = (): void =>
    void samples.push(parseProcessor(readFileSync('/proc/stat', 'utf8'), Date.now()));
  sample();
  const timer = setInterval(sample, 1_000);
  return { samples, stop: () => clearInterval(timer) };
}
