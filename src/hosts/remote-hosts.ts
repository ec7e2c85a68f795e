/**
 * The hosts that Karmadas name besides the operator's own cluster. Each is looked at in the background, again and again:
 * nobody tells when its Secret changes or it goes away. A pass over an instance is told what is known and never waits.
 */
import { isDeepStrictEqual } from 'node:util';
import { backoffMs } from '../kubernetes/clock.ts';
import type { ExplicitAccess } from '../kubernetes/connection.ts';
import type { KubernetesClient } from '../kubernetes/contract.ts';
import { errorText } from '../kubernetes/errors.ts';
import { sha256 } from '../kubernetes/intent.ts';
import type { HostReference } from './host-access.ts';
import { readAccess, secretOf, type HostProblem } from './read-access.ts';
import { openRemoteHost, type RemoteHost, type RemoteHostTools } from './remote-host.ts';

export type HostView =
  /** The first look is not over yet. */
  | { readonly state: 'unread' }
  | { readonly state: 'unreached'; readonly problem: HostProblem }
  | { readonly state: 'reached'; readonly host: RemoteHost };

export interface RemoteHostsOptions extends RemoteHostTools {
  /** The cluster with the Secrets. */
  readonly client: Pick<KubernetesClient, 'find'>;
  /** Something about the host of a Karmada (`namespace/name`) has changed. */
  readonly onChange: (key: string) => void;
  /** Told of each host before its caches begin to fill. */
  readonly onOpen: (host: RemoteHost) => void;
  /** Other than over the network in tests. */
  readonly open?: (access: ExplicitAccess, tools: RemoteHostTools) => RemoteHost;
}

/** Pause after a look that found fault, in milliseconds, doubled with each further one. */
const PAUSE = { base: 2_000, max: 30_000 };
/** Pause after one that did not: how long a changed Secret, or a dead host, may go unnoticed. */
const REST_MS = 10_000;
const READ_MS = 5_000;
/** How long a new host may take until its caches are full before that is said. */
const FILL_MS = 15_000;

interface Entry {
  readonly reference: HostReference;
  readonly users: Set<string>;
  readonly abort: AbortController;
  fingerprint?: string;
  host?: RemoteHost;
  /** Told when the caches of the host are full. */
  onFilled: () => void;
  view: HostView;
  failures: number;
  cancelTimer: () => void;
}

/** Name of a host: the same for all Karmadas that reach it in the same way. */
export const hostIdentity = ({ secret, apiEndpoint = '' }: HostReference): string =>
  `${secret.namespace}/${secret.name} ${apiEndpoint}`;

export class RemoteHosts {
  readonly #options: RemoteHostsOptions;
  readonly #entries = new Map<string, Entry>();

  constructor(options: RemoteHostsOptions) {
    this.#options = options;
  }

  /** What is known of the host of a Karmada. */
  of(key: string, reference: HostReference): HostView {
    const identity = hostIdentity(reference);
    for (const [other, entry] of this.#entries)
      if (other !== identity && entry.users.has(key)) this.#leave(other, entry, key);
    const entry = this.#entries.get(identity) ?? this.#enter(identity, reference);
    entry.users.add(key);
    return entry.view;
  }

  /** A Karmada is gone, or on another host; a host that nobody uses any more is closed. */
  leave(key: string): void {
    for (const [identity, entry] of this.#entries) this.#leave(identity, entry, key);
  }

  /** Closes all hosts. */
  async close(): Promise<void> {
    const entries = [...this.#entries];
    await Promise.all(entries.map(([identity, entry]) => this.#close(identity, entry)));
  }

  #leave(identity: string, entry: Entry, key: string): void {
    entry.users.delete(key);
    if (entry.users.size === 0) void this.#close(identity, entry);
  }

  #enter(identity: string, reference: HostReference): Entry {
    const entry: Entry = {
      reference,
      users: new Set(),
      abort: new AbortController(),
      onFilled: () => undefined,
      view: { state: 'unread' },
      failures: 0,
      cancelTimer: () => undefined,
    };
    this.#entries.set(identity, entry);
    void this.#look(entry);
    return entry;
  }

  async #close(identity: string, entry: Entry): Promise<void> {
    this.#entries.delete(identity);
    entry.abort.abort();
    entry.cancelTimer();
    await entry.host?.close();
  }

  /** Looks once, tells what has changed, and comes again. Never rejects. */
  async #look(entry: Entry): Promise<void> {
    const { clock, random, log } = this.#options;
    const before = entry.view;
    const view = await this.#seen(entry).catch((error: unknown): HostView => ({
      state: 'unreached',
      problem: { reason: 'HostUnreachable', message: errorText(error) },
    }));
    if (entry.abort.signal.aborted) return;
    entry.view = view;
    entry.failures = view.state === 'reached' ? 0 : entry.failures + 1;
    const pause = view.state === 'reached' ? REST_MS : backoffMs(entry.failures - 1, PAUSE, random);
    entry.cancelTimer = clock.after(pause, () => void this.#look(entry));
    if (isSame(before, view)) return;
    const { secret } = entry.reference;
    if (view.state === 'unreached') log.warn({ secret, ...view.problem }, 'host is not reached');
    if (view.state === 'reached')
      log.info({ secret, server: view.host.remote.server }, 'host is reached');
    for (const key of entry.users) this.#options.onChange(key);
  }

  async #seen(entry: Entry): Promise<HostView> {
    const found = await this.#access(entry.reference);
    if ('problem' in found) {
      // A Secret that could not be read says nothing of what is in it.
      if (found.gone) await this.#reopen(entry, undefined);
      return { state: 'unreached', problem: found.problem };
    }
    const host = await this.#reopen(entry, found.access);
    const problem = await this.#probe(entry, host);
    return problem === undefined ? { state: 'reached', host } : { state: 'unreached', problem };
  }

  async #access(
    reference: HostReference,
  ): Promise<
    { readonly access: ExplicitAccess } | { readonly problem: HostProblem; readonly gone: boolean }
  > {
    try {
      const found = await readAccess(this.#options.client, reference, { timeoutMs: READ_MS });
      return 'access' in found ? found : { ...found, gone: true };
    } catch (error) {
      const message = `${secretOf(reference)} cannot be read: ${errorText(error)}`;
      return { problem: { reason: 'HostSecretUnread', message }, gone: false };
    }
  }

  /** Opens the host anew when there is another way in. */
  async #reopen(entry: Entry, access: ExplicitAccess): Promise<RemoteHost>;
  async #reopen(entry: Entry, access: undefined): Promise<undefined>;
  async #reopen(entry: Entry, access: ExplicitAccess | undefined): Promise<RemoteHost | undefined> {
    const { open = openRemoteHost, onOpen } = this.#options;
    const fingerprint = access && sha256(JSON.stringify(access));
    if (fingerprint !== undefined && fingerprint === entry.fingerprint) return entry.host;
    const old = entry.host;
    delete entry.host;
    delete entry.fingerprint;
    if (entry.view.state === 'reached') entry.view = { state: 'unread' };
    void old?.close();
    if (access === undefined || fingerprint === undefined) return undefined;
    const host = open(access, this.#options);
    Object.assign(entry, { host, fingerprint });
    onOpen(host);
    for (const informer of host.informers) informer.start();
    // Once for each host: a promise that is never kept would hold every one who waits for it.
    void Promise.all(host.informers.map(({ synced }) => synced)).then(() => entry.onFilled());
    return host;
  }

  /** Why a host cannot be worked on, or undefined. */
  async #probe(entry: Entry, host: RemoteHost): Promise<HostProblem | undefined> {
    const at = `the host cluster at ${host.remote.server}`;
    try {
      const { status } = await host.client.raw('/version', { timeoutMs: READ_MS });
      if (status === 401 || status === 403) return denied(at, `HTTP ${status}`);
      if (status !== 200) return away(at, `HTTP ${status}`);
    } catch (error) {
      return away(at, errorText(error));
    }
    await this.#filled(entry, host);
    const informer = host.informers.find(({ hasSynced }) => !hasSynced);
    if (informer === undefined) return undefined;
    const text = informer.problem ?? 'its objects are still being read';
    return /: 40[13] /.test(text) ? denied(at, text) : away(at, text);
  }

  /** Waits until the caches are full, or for a while. */
  async #filled(entry: Entry, host: RemoteHost): Promise<void> {
    if (host.informers.every(({ hasSynced }) => hasSynced)) return;
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

const isSame = (one: HostView, other: HostView): boolean =>
  one.state === 'reached' && other.state === 'reached'
    ? one.host === other.host
    : isDeepStrictEqual(one, other);

const away = (at: string, text: string): HostProblem => ({
  reason: 'HostUnreachable',
  message: `${at} does not answer: ${text}; check the address in the Secret of spec.hostCluster.secretRef and the network`,
});

const denied = (at: string, text: string): HostProblem => ({
  reason: 'HostAccessDenied',
  message: `${at} refuses the identity in the Secret of spec.hostCluster.secretRef: ${text}; renew its credentials, or grant it the ClusterRole karmada-operator-remote`,
});
