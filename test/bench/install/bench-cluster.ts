import { resolve } from 'node:path';
import { down } from '../../cluster/down.ts';
import type { ImageName } from '../../cluster/images.ts';
import type { Progress } from '../../cluster/progress.ts';
import { up } from '../../cluster/up.ts';
import { openSession, type Session } from './session.ts';

/** What every benchmark in a cluster is asked. */
export interface ClusterChoice {
  /** `bench` when absent. */
  readonly name?: string;
  readonly images: readonly ImageName[];
  /** Leave the cluster up. */
  readonly keep: boolean;
  readonly progress: Progress;
}

/** Brings up a cluster that nobody has used, and takes it down when the work has ended. */
export async function onBenchCluster(
  { name = 'bench', images, keep, progress }: ClusterChoice,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  // A cluster of an earlier run may hold anything.
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

/** A file that the user named, from where the user is. */
export const fileOfCaller = (file: string): string =>
  resolve(process.env['INIT_CWD'] ?? process.cwd(), file);
