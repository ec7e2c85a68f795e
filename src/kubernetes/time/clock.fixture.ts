import type { Clock, Log } from './clock.ts';

/** A clock for tests that only advances on request. */
export interface ManualClock extends Clock {
  /** Advances the time and runs due timers in order. Promises settle between timers. */
  advance(ms: number): Promise<void>;
  /** Number of pending timers. */
  pending(): number;
}

/** Waits until all pending promises have settled, without advancing a clock. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

export function manualClock(wallStart = Date.parse('2026-01-02T03:04:05.678Z')): ManualClock {
  let now = 0;
  const timers = new Set<{ at: number; action: () => void }>();
  const nextDue = (limit: number): { at: number; action: () => void } | undefined =>
    [...timers].filter((timer) => timer.at <= limit).sort((a, b) => a.at - b.at)[0];
  return {
    wall: () => wallStart + now,
    monotonic: () => now,
    after: (ms, action) => {
      const timer = { at: now + ms, action };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    pending: () => timers.size,
    advance: async (ms) => {
      const end = now + ms;
      await settle();
      for (let timer = nextDue(end); timer !== undefined; timer = nextDue(end)) {
        timers.delete(timer);
        now = Math.max(now, timer.at);
        timer.action();
        await settle();
      }
      now = end;
    },
  };
}

/** A log that keeps its lines in memory. */
export function memoryLog(): Log & { readonly lines: string[] } {
  const lines: string[] = [];
  const add =
    (level: string) =>
    (fields: object, message: string): void => {
      lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
    };
  return { lines, debug: add('debug'), info: add('info'), warn: add('warn'), error: add('error') };
}
