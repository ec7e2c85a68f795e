/** Garbage collection of the Go compiler and linker. */

const MEBIBYTE = 2 ** 20;
/** Memory of a process in MiB below which the settings of Go stay, and above which a process has no use for more. */
const LIMITS = { least: 768, most: 4096 } as const;

/** What the settings depend on. */
export interface BuildMachine {
  /** Available memory in bytes. */
  readonly memory: number;
  /** Number of compilers that run at the same time. */
  readonly processors: number;
  /** Environment of the user. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the environment variables with which a compiler collects no garbage before it has used its share of the
 * memory: most compilers end before. All processes of a build, which are the compilers and `go`, share half of the
 * memory. Settings of the user stay.
 */
export function collectorSettings({
  memory,
  processors,
  environment,
}: BuildMachine): Record<string, string> {
  if (environment['GOGC'] !== undefined || environment['GOMEMLIMIT'] !== undefined) return {};
  const share = Math.floor(memory / 2 / (processors + 1) / MEBIBYTE);
  if (share < LIMITS.least) return {};
  return { GOGC: 'off', GOMEMLIMIT: `${String(Math.min(share, LIMITS.most))}MiB` };
}
