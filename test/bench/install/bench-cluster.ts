import { resolve } from 'node:path';
import { down } from '../../../tools/embedded-cluster/down.ts';
import type { ImageName } from '../../../tools/embedded-cluster/images.ts';
import type { Progress } from '../../../tools/embedded-cluster/progress.ts';
import { up } from '../../../tools/embedded-cluster/up.ts';
import { openSession, type Session } from './session.ts';

/** Options of every benchmark in a cluster. */
export interface ClusterChoice {
  /** Defaults to `bench`. */
  readonly name?: string;
  readonly images: readonly ImageName[];
  /** Keep the cluster after the benchmark. */
  readonly keep: boolean;
  readonly progress: Progress;
}

/** Starts a new cluster, runs the work in it, and removes the cluster. */
export async function onBenchCluster(
  { name = 'bench', images, keep, progress }: ClusterChoice,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  // A cluster of a previous run has unknown content.
  await down(name, progress);
  const cluster = await up({ name, images, progress });
  const session = openSession(cluster, progress);
  try {
    await work(session);
  } finally {
    await session.client.close();
    if (keep) progress.note(`cluster ${name} is kept`);
    else await down(name, progress);
  }
}

/** Resolves a path relative to the working directory of the user. */
export const fileOfCaller = (file: string): string =>
  resolve(process.env['INIT_CWD'] ?? process.cwd(), file);
