import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Forwards signals to a process, which would go on without this one. @returns a function that ends that */
export function forwardSignals(child: Pick<ChildProcess, 'kill'>): () => void {
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, forward);
  return () => {
    for (const signal of SIGNALS) process.off(signal, forward);
  };
}

/**
 * Runs a program of this repository with the output of this process, and forwards signals to it, because it may have to
 * remove clusters.
 * @param args path of the program, relative to the checkout, and its arguments
 * @returns whether it exited with 0
 */
export async function runProgram(args: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  const end = forwardSignals(child);
  try {
    const [code]: readonly unknown[] = await once(child, 'close');
    return code === 0;
  } finally {
    end();
  }
}
