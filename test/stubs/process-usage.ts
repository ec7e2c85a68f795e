/** Memory and processor time of a process, from /proc. */
import { readFile } from 'node:fs/promises';

/** Memory of a process in MiB. */
export interface Memory {
  readonly resident: number;
  readonly anonymous: number;
  /** Largest resident memory so far. */
  readonly peak: number;
}

/** Clock ticks of a second on Linux. */
const TICKS = 100;

/** Reads the memory of a process. @throws Error if it has ended */
export async function memoryOf(pid: number | undefined): Promise<Memory> {
  return parseMemory(await readFile(`/proc/${String(pid)}/status`, 'utf8'));
}

/** @param status content of /proc/PID/status */
export function parseMemory(status: string): Memory {
  const mebibytes = (field: string): number =>
    Math.round(Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 102.4) / 10;
  return {
    resident: mebibytes('VmRSS'),
    anonymous: mebibytes('RssAnon'),
    peak: mebibytes('VmHWM'),
  };
}

/** Reads the processor time of a process in seconds. @throws Error if it has ended */
export async function processorSeconds(pid: number | undefined): Promise<number> {
  return parseProcessorSeconds(await readFile(`/proc/${String(pid)}/stat`, 'utf8'));
}

/** @param stat content of /proc/PID/stat, whose second field is the name of the program, in parentheses */
export function parseProcessorSeconds(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // utime and stime are the fields 14 and 15.
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}
