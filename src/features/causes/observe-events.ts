/** Connects the background reads of Events with the reconcile of a control plane. */
import type { Host } from '../../host-clusters/host.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { namespaceOf } from '../../kubernetes/objects/resources.ts';
import type { EventReader } from './event-reader.ts';
import { eventTargets } from './event-targets.ts';

export interface EventTools {
  readonly eventReader: Pick<EventReader, 'of' | 'observe' | 'forget'>;
}

/** What Events are read with. */
export type EventReaders = EventTools & HostOf;

type HostOf = { readonly host: Pick<Host, 'client' | 'rights'> };

/** Returns what the last read of Events found. */
export function observeEvents(
  { eventReader, host }: EventReaders,
  { key }: Pick<InstanceCache, 'key'>,
): Required<Pick<Snapshot, 'events'>> {
  return { events: mayRead(host, key) ? eventReader.of(key) : { events: [], isAllowed: false } };
}

/** Starts reads of the Events of the objects that are not ready; stops them if all are. */
export function readEventsInBackground(
  { eventReader, host }: EventReaders,
  { key }: Pick<InstanceCache, 'key'>,
  snapshot: Pick<Snapshot, 'karmada' | 'host'>,
): void {
  const { namespace = '' } = snapshot.karmada.metadata;
  const targets = mayRead(host, key) ? eventTargets(snapshot) : [];
  eventReader.observe(key, { client: host.client, namespace, targets });
}

const mayRead = ({ rights }: HostOf['host'], key: string): boolean =>
  !rights.lacks('list', 'events', namespaceOf(key));
