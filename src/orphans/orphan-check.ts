/** Reports control planes that run without a Karmada object. It never deletes them. */
import type { Reason } from '../api/reasons/condition-reasons.ts';
import type { Log } from '../kubernetes/time/clock.ts';
import { errorText } from '../kubernetes/client/errors.ts';
import type { EventRecorder } from '../kubernetes/client/events.ts';
import { orphanKey, orphanText, type Orphan } from './orphans.ts';

export interface OrphanCheckOptions {
  readonly find: () => Promise<readonly Orphan[]>;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly log: Log;
  /** Called after each successful check with the number of orphans. */
  readonly onOrphans: (count: number) => void;
}

/** Creates the periodic check. It reports each orphan once, and again after it was gone. The check never rejects. */
export function orphanCheck(options: OrphanCheckOptions): () => Promise<void> {
  let said: ReadonlySet<string> = new Set();
  return async () => {
    const { find, log, onOrphans } = options;
    try {
      const found = await find();
      onOrphans(found.length);
      for (const orphan of found.filter((one) => !said.has(orphanKey(one))))
        report(options, orphan);
      said = new Set(found.map(orphanKey));
    } catch (error) {
      log.warn({ error: errorText(error) }, 'check for orphaned control planes failed');
    }
  };
}

/** Logs an orphan and records an Event. An orphan on a remote host cluster only gets the log line. */
function report({ events, log }: OrphanCheckOptions, orphan: Orphan): void {
  const { namespace, name, server, workloads } = orphan;
  log.warn(
    { karmada: `${namespace}/${name}`, ...(server && { server }) },
    'orphaned control plane',
  );
  const regarding = workloads.find(({ kind }) => kind === 'StatefulSet') ?? workloads[0];
  if (server !== undefined || regarding === undefined) return;
  events.record({
    regarding,
    type: 'Warning',
    reason: 'OrphanedControlPlane' satisfies Reason,
    action: 'Report',
    note: orphanText(orphan),
  });
}
