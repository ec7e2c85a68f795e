/** What is remembered of a host cluster between two checks. */
import type { ObjectMeta } from '../kubernetes/object.ts';
import type { HostReference } from './host-reference.ts';
import type { HostUser, HostView } from './host-user.ts';
import type { RemoteHost } from './remote-host.ts';

export interface Entry {
  readonly reference: HostReference;
  /** By `namespace/name` of the Karmada. */
  readonly users: Map<string, HostUser>;
  /** Metadata of the Secret as it was read last. */
  secret?: ObjectMeta | undefined;
  fingerprint?: string;
  host?: RemoteHost;
  /** Told when the caches of the host are full. */
  onFilled: () => void;
  view: HostView;
  /** Checks in a row that did not reach it. */
  failures: number;
}

export const newEntry = (reference: HostReference): Entry => ({
  reference,
  users: new Map(),
  onFilled: () => undefined,
  view: { state: 'unread' },
  failures: 0,
});
