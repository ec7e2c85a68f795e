/** What is looked at again and again in the operator's own cluster, as no event tells of it. */
import type { Karmada } from '../api/karmada.ts';
import type { Clock } from '../kubernetes/clock.ts';
import { firstStale } from '../kubernetes/freshness.ts';
import { keyOf, keyText } from '../kubernetes/resources.ts';
import type { Local } from '../hosts/host.ts';
import { hostReference } from '../hosts/host-reference.ts';
import { SourceMonitor } from './source-monitor.ts';
import { staleTexts, type Sources } from './sources.ts';

/** How often it is looked at whether it is time to ask for the operator's rights in its own cluster. */
const RIGHTS_LOOK_MS = 30_000;

/** Its caches, and the operator's rights. Nothing is looked at before `start`. */
export function looksOf(
  { clock }: { readonly clock: Clock },
  sources: Sources & { readonly local: Local },
  enqueue: (key: string) => void,
): Pick<SourceMonitor, 'overdue' | 'start' | 'close'> {
  const { local } = sources;
  const isOverdue = (): boolean => firstStale(local.informers) !== undefined;
  const look = (): ReturnType<typeof staleTexts> => staleTexts(sources);
  const monitor = new SourceMonitor({ clock, look, isOverdue, onChange: enqueue });
  let cancel = (): void => undefined;
  return {
    overdue: monitor.overdue,
    start() {
      monitor.start();
      cancel = lookAtRights(local, clock, enqueue);
    },
    close() {
      monitor.close();
      cancel();
    },
  };
}

/**
 * Looks again and again at the rights in the operator's own cluster.
 * @param enqueue asks for work on each Karmada whose control plane is there, when other rights are missing than before
 * @returns ends it
 */
function lookAtRights(local: Local, clock: Clock, enqueue: (key: string) => void): () => void {
  const onChange = (): void => {
    for (const karmada of local.karmadas.cache.list() as unknown as Karmada[])
      if (hostReference(karmada) === undefined) enqueue(keyText(keyOf(karmada)));
  };
  let cancel = (): void => undefined;
  const look = (): void => {
    local.rights.look({ namespaces: () => [], onChange });
    cancel = clock.after(RIGHTS_LOOK_MS, look);
  };
  look();
  return () => cancel();
}
