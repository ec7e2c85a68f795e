/**
 * Manages the remote host clusters of all Karmadas. The operator checks them in the background, because no event shows
 * a changed Secret or an unreachable cluster. A reconcile uses the last result and never waits.
 */
import type { Problem } from '../api/reasons/problem.ts';
import type { AddressesOf } from '../kubernetes/connection/addresses.ts';
import { backoffMs } from '../kubernetes/time/clock.ts';
import type { ExplicitAccess } from '../kubernetes/connection/connection.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { errorText } from '../kubernetes/client/errors.ts';
import { sha256 } from '../kubernetes/objects/intent.ts';
import { BackgroundSlots } from '../kubernetes/fairness/background-slots.ts';
import { Poller } from '../kubernetes/client/poller.ts';
import type { SecretPolicy } from '../api/secrets/secret-grant.ts';
import { hostIdentity, type HostReference } from './host-reference.ts';
import { newEntry, type Entry, type HostUsers } from './host-entry.ts';
import { overdue } from './host-problems.ts';
import { isSameGrant, isSameView, viewFor, type HostUser, type HostView } from './host-user.ts';
import { readAllowed } from './read-allowed.ts';
import { cacheProblem, versionRefusal } from './probe-host.ts';
import { isFilled, startCachesFor } from './start-caches.ts';
import { openRemoteHost, type RemoteHost, type RemoteHostTools } from './remote-host.ts';

export interface RemoteHostsOptions extends Omit<RemoteHostTools, 'addresses'> {
  /** Addresses of host clusters to which the operator may connect. */
  readonly addresses: AddressesOf;
  /** Client of the cluster that contains the Secrets. */
  readonly client: Pick<KubernetesClient, 'find'>;
  readonly secretPolicy: SecretPolicy;
  /** Called when the host cluster of a Karmada (`namespace/name`) has changed. */
  readonly onChange: (key: string) => void;
  /** Called for each host cluster before its caches start. */
  readonly onOpen: (host: RemoteHost, users: HostUsers) => void;
  /** Replaces the network connection in tests. */
  readonly open?: (access: ExplicitAccess, tools: RemoteHostTools) => RemoteHost;
}

/** Exponential backoff after failed checks, in milliseconds. */
const PAUSE = { base: 2_000, max: 30_000 };
/** Interval after a successful check: time to detect a changed Secret or an unreachable host cluster. */
const HEALTHY_PAUSE_MS = 10_000;
const READ_MS = 5_000;
/** Time that the caches of a new host cluster may take to sync before the operator reports a problem. */
const FILL_MS = 15_000;
/** Maximum number of host clusters that sync their caches in parallel. */
const AT_ONCE = 3;
/** A check that takes longer does not delay the checks of other host clusters. */
const SLOW_AFTER_MS = 200;
/** Time without a report for a host cluster that was never checked: longer than one check takes. */
const UNREAD_MS = 30_000;

interface Seen {
  readonly view: HostView;
  /** Whether the Secret grants access to the same Karmadas as before the check. */
  readonly isSameGrant: boolean;
}

export class RemoteHosts {
  readonly #options: RemoteHostsOptions;
  /** By `hostIdentity`. */
  readonly #poller: Poller<Entry, Seen>;
  readonly #places: BackgroundSlots;

  constructor(options: RemoteHostsOptions) {
    this.#options = options;
    const { clock, random, log, rateLimit } = options;
    const limits = { count: AT_ONCE, slowAfterMs: SLOW_AFTER_MS };
    this.#places = new BackgroundSlots({ ...limits, clock, origins: rateLimit?.origins });
    this.#poller = new Poller({
      clock,
      log,
      check: (entry, signal) => this.#check(entry, signal),
      onResult: (_, entry, seen) => this.#record(entry, seen),
      pauseMs: ({ failures }) =>
        failures === 0 ? HEALTHY_PAUSE_MS : backoffMs(failures - 1, PAUSE, random),
    });
  }

  /** Returns the last view of the host cluster of a Karmada (`namespace/name`). Starts checks for a new one. */
  of(key: string, reference: HostReference, user: HostUser): HostView {
    const identity = hostIdentity(reference);
    for (const [other, entry] of this.#poller.all())
      if (other !== identity && entry.users.has(key)) this.#leave(other, entry, key);
    const known = this.#poller.get(identity);
    const entry = known ?? newEntry(reference);
    const isNew = !entry.users.has(key);
    entry.users.set(key, user);
    if (known === undefined) this.#poller.add(identity, entry);
    else if (isNew) this.#checkForNewUser(identity, entry, user);
    return viewFor(entry, user, this.#options.secretPolicy);
  }

  /** Removes a Karmada that is deleted or uses another host cluster. Closes host clusters without a Karmada. */
  leave(key: string): void {
    for (const [identity, entry] of this.#poller.all()) this.#leave(identity, entry, key);
  }

  /** Returns the host clusters that the operator can use now. */
  reached(): readonly RemoteHost[] {
    const views = this.#poller.all().map(([, { view }]) => view);
    return views.flatMap((view) => (view.state === 'reached' ? [view.host] : []));
  }

  /** Returns all host clusters with valid credentials, reachable or not. */
  opened(): readonly RemoteHost[] {
    return this.#poller.all().flatMap(([, { host }]) => host ?? []);
  }

  /** Closes all host clusters. */
  async close(): Promise<void> {
    const entries = this.#poller.all();
    await Promise.all(entries.map(([identity, entry]) => this.#close(identity, entry)));
  }

  #checkForNewUser(identity: string, { host }: Entry, { karmada }: HostUser): void {
    host?.quota.admit(karmada.namespace);
    host?.rights.suspect();
    if (host === undefined && !this.#poller.isChecking(identity)) this.#poller.check(identity);
  }

  #leave(identity: string, entry: Entry, key: string): void {
    const user = entry.users.get(key);
    entry.users.delete(key);
    if (user !== undefined) entry.host?.quota.release(user.karmada.namespace);
    if (entry.users.size === 0) void this.#close(identity, entry);
  }

  async #close(identity: string, entry: Entry): Promise<void> {
    this.#poller.forget(identity);
    await entry.host?.close();
  }

  /** Never rejects. */
  async #check(entry: Entry, signal: AbortSignal): Promise<Seen> {
    const { secret, namesServer } = entry;
    const checked = this.#places.run(async () =>
      signal.aborted ? entry.view : this.#inTime(entry, signal),
    );
    const view = await checked.catch((error: unknown): HostView => ({
      state: 'unreached',
      problem: { reason: 'HostUnreachable', message: errorText(error) },
    }));
    return { view, isSameGrant: isSameGrant({ secret, namesServer }, entry) };
  }

  /** Checks a host cluster, and reports a problem if the first check takes too long. */
  async #inTime(entry: Entry, signal: AbortSignal): Promise<HostView> {
    const cancel = this.#options.clock.after(UNREAD_MS, () => {
      if (!signal.aborted && entry.view.state === 'unread')
        this.#tell(entry, { state: 'unreached', problem: overdue(entry.reference, UNREAD_MS) });
    });
    return this.#seen(entry, signal).finally(cancel);
  }

  #record(entry: Entry, { view, isSameGrant }: Seen): void {
    entry.failures = view.state === 'reached' ? 0 : entry.failures + 1;
    this.#tell(entry, view, isSameGrant);
  }

  /** Stores a view, and notifies the users if the view or the grants of the Secret have changed. */
  #tell(entry: Entry, view: HostView, sameGrant = true): void {
    const { log } = this.#options;
    const isNews = !isSameView(entry.view, view);
    if (!isNews && sameGrant) return;
    entry.view = view;
    this.#tellUsers(entry);
    if (!isNews) return;
    const { secret } = entry.reference;
    if (view.state === 'unreached')
      log.warn({ secret, ...view.problem }, 'host cluster unreachable');
    if (view.state === 'reached')
      log.info({ secret, server: view.host.remote.server }, 'host cluster connected');
  }

  #tellUsers({ users }: Entry): void {
    for (const key of users.keys()) this.#options.onChange(key);
  }

  async #seen(entry: Entry, signal: AbortSignal): Promise<HostView> {
    const { client, secretPolicy } = this.#options;
    const tools = { client, secretPolicy, timeoutMs: READ_MS };
    const found = await readAllowed(tools, entry.reference, entry.users.values());
    if (signal.aborted) return entry.view;
    if ('secret' in found) {
      entry.secret = found.secret;
      entry.namesServer = found.namesServer;
    }
    if ('problem' in found) {
      // After a failed read the content of the Secret is unknown, so the host cluster stays open.
      if (found.gone) await this.#reopen(entry, undefined);
      return { state: 'unreached', problem: found.problem };
    }
    const host = await this.#reopen(entry, found.access);
    const problem = await this.#probe(entry, host);
    return problem === undefined ? { state: 'reached', host } : { state: 'unreached', problem };
  }

  /** Reopens the host cluster when its credentials have changed. */
  async #reopen(entry: Entry, access: ExplicitAccess): Promise<RemoteHost>;
  async #reopen(entry: Entry, access: undefined): Promise<undefined>;
  async #reopen(entry: Entry, access: ExplicitAccess | undefined): Promise<RemoteHost | undefined> {
    const { open = openRemoteHost, onOpen, addresses } = this.#options;
    const fingerprint = access && sha256(JSON.stringify(access));
    if (fingerprint !== undefined && fingerprint === entry.fingerprint) return entry.host;
    const old = entry.host;
    delete entry.host;
    delete entry.fingerprint;
    if (entry.view.state === 'reached') entry.view = { state: 'unread' };
    void old?.close();
    if (access === undefined || fingerprint === undefined) return undefined;
    const { namespace } = entry.reference.secret;
    const own = { addresses: addresses(namespace), tenant: namespace };
    const host = open(access, { ...this.#options, ...own });
    Object.assign(entry, { host, fingerprint });
    onOpen(host, entry.users);
    startCachesFor(entry, host);
    return host;
  }

  /** Returns why the host cluster cannot be used, or undefined. */
  async #probe(entry: Entry, host: RemoteHost): Promise<Problem | undefined> {
    const at = `the host cluster at ${host.remote.server}`;
    const refusal = await versionRefusal(host.client, at, READ_MS);
    if (refusal !== undefined) {
      host.gate.shut();
      return refusal;
    }
    host.gate.open();
    host.rights.look({
      namespaces: () => [...entry.users.values()].map(({ karmada }) => karmada.namespace),
      onChange: () => this.#tellUsers(entry),
    });
    await this.#filled(entry, host);
    return cacheProblem(host, at);
  }

  /** Waits until the caches have synced, for at most `FILL_MS`. */
  async #filled(entry: Entry, host: RemoteHost): Promise<void> {
    if (isFilled(host)) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#options.clock.after(FILL_MS, resolve);
      entry.onFilled = () => {
        cancel();
        resolve();
      };
    });
    entry.onFilled = () => undefined;
  }
}
