/** State of a host cluster between two checks. */
import type { ObjectMeta } from '../kubernetes/objects/object.ts';
import type { HostReference } from './host-reference.ts';
import type { HostUser, HostView } from './host-user.ts';
import type { RemoteHost } from './remote-host.ts';

/** Karmadas (`namespace/name`) that use a host cluster now. */
export interface HostUsers {
  has(key: string): boolean;
  keys(): Iterable<string>;
}

export interface Entry {
  readonly reference: HostReference;
  /** By `namespace/name` of the Karmada object. */
  readonly users: Map<string, HostUser>;
  /** Metadata of the Secret from the last read. */
  secret?: ObjectMeta | undefined;
  /** Whether this Secret names the server; undefined without valid credentials. */
  namesServer?: boolean | undefined;
  fingerprint?: string;
  host?: RemoteHost;
  /** Called when the caches of the host cluster have synced. */
  onFilled: () => void;
  view: HostView;
  /** Consecutive failed checks. */
  failures: number;
}

export const newEntry = (reference: HostReference): Entry => ({
  reference,
  users: new Map(),
  onFilled: () => undefined,
  view: { state: 'unread' },
  failures: 0,
});
