/** Time, processor time and memory of a process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

export interface Usage {
  readonly seconds: number;
  readonly processorSeconds: number;
  /** Highest resident memory. */
  readonly peakBytes: number;
}

/** One line of the result. */
export const usageText = (what: string, { seconds, processorSeconds, peakBytes }: Usage): string =>
  `${what}: ${seconds.toFixed(1)} s, processor ${processorSeconds.toFixed(1)} s, resident memory at most ${(peakBytes / 2 ** 20).toFixed(0)} MiB`;

/** Of a running process. @returns undefined after its end */
function usageOf(pid: number): Omit<Usage, 'seconds'> | undefined {
  try {
    const [, kilobytes = '0'] =
      /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8')) ?? [];
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // Fields 14 and 15, in hundredths of a second; the name in parentheses may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return { processorSeconds: ticks / 100, peakBytes: Number(kilobytes) * 1024 };
  } catch {
    return undefined;
  }
}

/** Runs a program, whose usage is read every 20 ms. @throws Error if it fails */
export async function measuredRun(program: string, args: readonly string[]): Promise<Usage> {
  const began = performance.now();
  const child = spawn(program, [...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  let last: Omit<Usage, 'seconds'> = { processorSeconds: 0, peakBytes: 0 };
  const look = (): void => {
    const found = usageOf(child.pid ?? 0);
    if (found !== undefined && found.peakBytes > 0) last = found;
  };
  const timer = setInterval(look, 20);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearInterval(timer);
  if (code !== 0) throw new Error(`${program} ended with ${String(code)}`);
  return { ...last, seconds: (performance.now() - began) / 1_000 };
}
