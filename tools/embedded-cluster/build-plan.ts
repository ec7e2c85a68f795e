/** What a first run builds, how long that takes, and the downloads that run meanwhile. */
import { attempt } from './command.ts';
import { duration } from './progress.ts';
import { goEnvironment } from './toolchain.ts';

/**
 * Seconds of a build on two cores, in the order of the demo: packages that an earlier program has in common are compiled
 * once. `npm run bench:cluster -- --cold` measures them. Other programs have no estimate.
 */
const SECONDS: Readonly<Record<string, number>> = {
  pause: 3,
  etcd: 30,
  coredns: 40,
  kubernetes: 200,
  karmada: 55,
  helm: 70,
};

const estimate = (name: string): string => {
  const seconds = SECONDS[name];
  return `  ${name.padEnd(20)} ${seconds === undefined ? 'some minutes' : `about ${duration(seconds * 1000)}`}`;
};

/** Returns the text that says which programs a run builds and how long that takes; one line for each program. */
export function buildPlan(names: readonly string[]): string {
  const total = names.reduce((sum, name) => sum + (SECONDS[name] ?? 180), 0);
  const minutes = Math.max(1, Math.round(total / 60));
  const programs = names.length === 1 ? '1 program' : `${String(names.length)} programs`;
  return [
    `builds ${programs} once, about ${String(minutes)} min on two cores; later runs use the cache:`,
    ...names.map(estimate),
  ].join('\n');
}

/** A command that downloads Go modules, and the folder in which it runs. */
export interface DownloadCommand {
  readonly command: readonly string[];
  readonly directory: string;
}

/**
 * Downloads the modules of later builds one after the other while the first one compiles. A failed download is repeated
 * by its build, which reports the error.
 * @param goCache compiler cache of the builds: `go list` stores its index of the modules there, which a build reads
 * @returns stop, which starts no further download and waits for the one that runs
 */
export function prefetch(
  commands: readonly DownloadCommand[],
  goCache: string,
): { stop(): Promise<void> } {
  let stopped = false;
  const run = async (): Promise<void> => {
    for (const { command, directory } of commands) {
      if (stopped) return;
      await attempt(command, { cwd: directory, env: { ...goEnvironment(), GOCACHE: goCache } });
    }
  };
  const running = run();
  return {
    async stop() {
      stopped = true;
      await running;
    },
  };
}
