import type { Writable } from 'node:stream';

/** Output for progress. A terminal shows one line that is redrawn; other outputs get complete lines. */
export interface ProgressOutput extends Writable {
  isTTY?: boolean;
  columns?: number;
}

/** Runs named steps and prints each with its duration. */
export interface Progress {
  step<T>(name: string, action: () => Promise<T>): Promise<T>;
  readonly note: (text: string) => void;
}

/** Formats milliseconds as `12.3 s` below a minute and `4 min 05 s` above. */
export function duration(milliseconds: number): string {
  const tenths = Math.round(milliseconds / 100);
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`;
  const whole = Math.round(milliseconds / 1000);
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
}

const labelWidth = 52;

function line(name: string, state: string): string {
  return `${name.padEnd(labelWidth)} ${state}`;
}

/** Truncates text to a terminal line. A wrapped line could not be redrawn completely. */
function fit(text: string, columns: number): string {
  return text.length < columns ? text : `${text.slice(0, columns - 2)}…`;
}

/**
 * Prints steps to `output`. In a log, a quick step has one line, and a slow step has an additional line that it runs.
 * Steps can run concurrently; on a terminal the single line then names all running steps.
 */
export function createProgress(output: ProgressOutput): Progress {
  const terminal = output.isTTY === true;
  const active = new Map<symbol, { name: string; began: number }>();
  let timer: NodeJS.Timeout | undefined;

  const clear = (): void => void (terminal && output.write('\r\u001b[2K'));
  const draw = (): void => {
    if (!terminal || active.size === 0) return;
    const entries = [...active.values()];
    const oldest = Math.min(...entries.map(({ began }) => began));
    const text = line(entries.map(({ name }) => name).join(', '), duration(Date.now() - oldest));
    output.write(`\r\u001b[2K${fit(text, output.columns ?? 80)}`);
  };
  const print = (text: string): void => {
    clear();
    output.write(`${text}\n`);
    draw();
  };
  const schedule = (): void => {
    clearInterval(timer);
    timer = active.size > 0 && terminal ? setInterval(draw, 200) : undefined;
    timer?.unref();
  };

  return {
    note: print,
    async step(name, action) {
      const key = Symbol(name);
      const began = Date.now();
      active.set(key, { name, began });
      const slow = terminal ? undefined : setTimeout(() => print(line(name, 'running')), 5_000);
      schedule();
      draw();
      let state = 'failed';
      try {
        const result = await action();
        state = 'done';
        return result;
      } finally {
        clearTimeout(slow);
        active.delete(key);
        schedule();
        print(line(name, `${state}  ${duration(Date.now() - began)}`));
      }
    },
  };
}
