/**
 * Manages the CRD archives of all control planes. It reads archives of a data directory immediately. It fetches
 * others in the background, once per source, and then requests a reconcile of each control plane with that source.
 */
import type { DefaultedSpec } from '../api/defaults/defaults.ts';
import type { Karmada } from '../api/karmada.ts';
import { Poller } from '../kubernetes/client/poller.ts';
import type { ArchivesOptions } from './archives-options.ts';
import { fetchArchive, type Fetched, type FetchTools } from './fetch.ts';
import {
  afterTry,
  fetchPauseMs,
  needsAttempt,
  NEW_FETCH_STATE,
  snapshotOf,
  type ArchiveRequest,
  type FetchState,
  type RunningAttempt,
} from './fetch-state.ts';
import { evict, shareContent, type Fetching } from './fetching.ts';
import {
  MEMORY_LIMITS,
  namespacesWithin,
  withinNamespace,
  type MemoryLimits,
  type SourceUser,
} from './memory-limits.ts';
import { isInMemory, type ArchiveSnapshot } from './outcome.ts';
import {
  archiveSource,
  identityOf,
  publishedSource,
  spoken,
  type FetchedSource,
} from './source.ts';
import { isMissing, ReleaseArchives } from './release-archives.ts';
import { exceedsMemory, UNKNOWN_VERSION } from './release-problems.ts';
import { Slots } from '../kubernetes/fairness/slots.ts';
import { ArchiveStore } from './store.ts';

/** Attempts of the control planes of one namespace that run at once. */
const NAMESPACE_ATTEMPTS = 2;

/** Control plane that uses a fetched archive. */
interface Client extends ArchiveRequest {
  readonly identity: string;
  readonly namespace: string;
  /** `uid/generation` of the Karmada object. */
  readonly generation: string;
  /** `creationTimestamp` of the Karmada object. */
  readonly createdAt: string;
}

/**
 * Key of a source. Policy Always has separate jobs, because it must not use an archive from the disk. Each namespace has its own
 * ones, so that the slots of a namespace do not delay another one with the same URL.
 */
const sourceKey = (source: FetchedSource, namespace: string): string =>
  `${namespace}/${identityOf(source)}${source.kind === 'http' && source.always ? '/always' : ''}`;

/** Namespace in whose slots a source is fetched; empty for a URL of the operator, which all namespaces share. */
const ownerOf = (source: FetchedSource, namespace: string): string =>
  source.kind === 'http' && source.isDefault ? '' : namespace;

export class Archives {
  readonly #options: ArchivesOptions;
  readonly #releases: ReleaseArchives;
  /** By `sourceKey`. */
  readonly #poller: Poller<Fetching, Fetched>;
  readonly #clients = new Map<string, Client>();
  readonly #limits: MemoryLimits;
  #uses = 0;

  constructor(options: ArchivesOptions) {
    this.#options = options;
    const { clock, random, log, ready, writable, memory = MEMORY_LIMITS } = options;
    const verifications = new Slots(1);
    const store = new ArchiveStore({ ready, writable, verifications });
    const toolsOf = (namespace: string): FetchTools => ({
      ...options,
      store,
      verifications,
      addresses: options.addresses(namespace),
    });
    const attempts = new Slots(NAMESPACE_ATTEMPTS);
    this.#limits = memory;
    this.#releases = new ReleaseArchives(store);
    this.#poller = new Poller({
      clock,
      log,
      check: ({ source, owner, job }, signal) =>
        attempts.run(owner, async () =>
          signal.aborted ? {} : fetchArchive(toolsOf(owner), source, job.verified, signal),
        ),
      onResult: (identity, fetching, fetched) => this.#record(identity, fetching, fetched),
      pauseMs: ({ source, job }) => fetchPauseMs(source, job, random),
    });
  }

  /** Returns the archive of a control plane, or why there is none yet. Never waits for the network, never rejects. */
  async of(karmada: Karmada, spec: DefaultedSpec): Promise<ArchiveSnapshot> {
    const { name, namespace = '' } = karmada.metadata;
    const key = `${namespace}/${name}`;
    const source = archiveSource(namespace, spec);
    if (source?.kind === 'http' || source?.kind === 'object')
      return this.#fetched(key, karmada, source);
    const { archiveUrl } = this.#options;
    const own = source === undefined ? UNKNOWN_VERSION : await this.#releases.of(source);
    if (source !== undefined && archiveUrl !== '' && isMissing(own))
      return this.#fetched(key, karmada, publishedSource(archiveUrl, source.release));
    this.forget(key);
    return own;
  }

  /** Returns the fetched archive of a control plane. */
  #fetched(key: string, karmada: Karmada, source: FetchedSource): ArchiveSnapshot {
    const client = this.#enter(key, karmada, source);
    const { identity, namespace } = client;
    if (this.#exceedsNamespace(key, client))
      return { problem: exceedsMemory(namespace, this.#limits.namespace) };
    this.#use(identity);
    const snapshot = snapshotOf(source, this.#stateOf(identity), client);
    if ('archive' in snapshot) this.#clients.set(key, { ...client, served: true });
    return snapshot;
  }

  /** Records that a control plane needs an archive now, and fetches it again if it is not in memory any more. */
  #use(identity: string): void {
    const fetching = this.#poller.get(identity);
    if (fetching === undefined) return;
    this.#uses += 1;
    fetching.lastUsed = this.#uses;
    const { verified, problem } = fetching.job;
    const wasEvicted = verified !== undefined && !isInMemory(verified);
    if (wasEvicted && problem === undefined && !this.#poller.isChecking(identity))
      this.#poller.check(identity);
  }

  /** Frees cached archives that can be read again from disk. */
  rest(): void {
    this.#releases.rest();
  }

  /**
   * Stops the fetches for a control plane that is deleted or that the operator does not reconcile. A source that another
   * control plane uses stays.
   */
  forget(key: string): void {
    const client = this.#clients.get(key);
    this.#clients.delete(key);
    if (client !== undefined) this.#giveUpUnused(client.identity);
  }

  /** Cancels all fetches. */
  close(): void {
    this.#poller.close();
  }

  /** Records that a control plane uses a source, and starts an attempt if its spec requires one. */
  #enter(key: string, karmada: Karmada, source: FetchedSource): Client {
    const { namespace, createdAt, generation } = creationOf(karmada);
    const owner = ownerOf(source, namespace);
    const identity = sourceKey(source, owner);
    const known = this.#clients.get(key);
    const isSame = known?.identity === identity;
    if (isSame && known.generation === generation) return known;
    if (!isSame) this.forget(key);
    if (this.#poller.get(identity) === undefined)
      this.#poller.add(identity, { source, owner, job: NEW_FETCH_STATE, lastUsed: 0 });
    const job = this.#stateOf(identity);
    const running = this.#runningAttempt(identity, isSame);
    // A fetch that started before the spec change does not count for the changed spec.
    const since = job.successes + (running === 'earlier' ? 1 : 0);
    const served = isSame && known.served;
    const client = { identity, namespace, generation, createdAt, since, served };
    this.#clients.set(key, client);
    // The attempt ends the backoff, because the user expects an immediate one after a change of the spec.
    if (needsAttempt(source, job, client, running)) this.#poller.check(identity);
    return client;
  }

  #stateOf(identity: string): FetchState {
    return this.#poller.get(identity)?.job ?? NEW_FETCH_STATE;
  }

  #runningAttempt(identity: string, isSame: boolean): RunningAttempt {
    if (!this.#poller.isChecking(identity)) return 'none';
    return isSame ? 'earlier' : 'other';
  }

  #giveUpUnused(identity: string): void {
    const isUsed = [...this.#clients.values()].some((client) => client.identity === identity);
    if (!isUsed) this.#poller.forget(identity);
  }

  #record(identity: string, fetching: Fetching, fetched: Fetched): void {
    const { log } = this.#options;
    fetching.job = afterTry(fetching.job, fetched);
    this.#limitMemory(fetching);
    const { failures } = fetching.job;
    const about = { source: spoken(fetching.source) };
    if (fetched.problem === undefined) log.info(about, 'CRD archive fetched and verified');
    else
      log.warn({ ...about, ...fetched.problem, failures }, 'CRD archive fetch failed, will retry');
    this.#notify(identity);
  }

  /** @param fetched the source whose archive is new in memory */
  #limitMemory(fetched: Fetching): void {
    const all = this.#poller.all();
    const others = all.map(([, fetching]) => fetching).filter((one) => one !== fetched);
    shareContent(fetched, others);
    this.#uses += 1;
    fetched.lastUsed = this.#uses;
    evict(all, namespacesWithin(this.#users(), this.#limits.namespace), this.#limits.all);
  }

  #exceedsNamespace(key: string, { identity, namespace }: Client): boolean {
    if (this.#stateOf(identity).verified === undefined) return false;
    const users = this.#users((one) => one === namespace);
    return !withinNamespace(users, this.#limits.namespace).has(key);
  }

  /** Control planes in these namespaces whose archives are known. */
  #users(isMeant: (namespace: string) => boolean = () => true): readonly SourceUser[] {
    return [...this.#clients].flatMap(([key, { identity, namespace, createdAt }]) => {
      const verified = isMeant(namespace) ? this.#stateOf(identity).verified : undefined;
      if (verified === undefined) return [];
      const { sha256: digest, memoryBytes: bytes } = verified;
      return [{ key, identity, namespace, createdAt, digest, bytes }];
    });
  }

  #notify(identity: string): void {
    for (const [key, client] of this.#clients)
      if (client.identity === identity) this.#options.onChange(key);
  }
}

/** @returns `generation` as `uid/generation` */
function creationOf({ metadata }: Karmada): Pick<Client, 'namespace' | 'createdAt' | 'generation'> {
  const { uid = '', namespace = '', creationTimestamp: createdAt = '', generation = 0 } = metadata;
  return { namespace, createdAt, generation: `${uid}/${generation}` };
}
