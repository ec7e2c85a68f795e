/**
 * Manages the CRD archives of all control planes. It reads archives of a data directory immediately. It fetches
 * others in the background, once per source, and then requests a reconcile of each control plane with that source.
 */
import type { DefaultedSpec } from '../api/defaults.ts';
import type { Karmada } from '../api/karmada.ts';
import type { SecretPolicy } from '../api/secret-grant.ts';
import { ArchiveError } from '../controlplane/archive.ts';
import { karmadaReleaseOf } from '../api/versions.ts';
import type { AddressPolicy } from '../kubernetes/addresses.ts';
import type { Clock, Log, Random } from '../kubernetes/clock.ts';
import type { KubernetesClient } from '../kubernetes/client-interface.ts';
import { errorText } from '../kubernetes/errors.ts';
import { Poller } from '../kubernetes/poller.ts';
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
import type { ArchiveSnapshot } from './outcome.ts';
import type { ProxySettings } from './proxies.ts';
import {
  archiveSource,
  identityOf,
  publishedSource,
  releaseSource,
  spoken,
  type FetchedSource,
  type ReleaseSource,
} from './source.ts';
import { MISSING, missingRelease, otherPatch, UNKNOWN_VERSION } from './release-problems.ts';
import { ArchiveStore } from './store.ts';
import type { DownloadTimes } from './download-timeout.ts';

export interface ArchivesOptions {
  readonly client: Pick<KubernetesClient, 'get'>;
  readonly secretPolicy: SecretPolicy;
  /** Addresses to which the operator may connect. */
  readonly addresses: AddressPolicy;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Absolute paths with archives in `cache/<sha256 of the URL>/crds.tar.gz`. The first match wins. */
  readonly ready: readonly string[];
  /** Absolute path of the directory for downloads. */
  readonly writable: string;
  readonly proxies: ProxySettings;
  readonly userAgent: string;
  /** URL template for archives that `ready` does not contain, with `{release}`. Empty: the operator downloads none. */
  readonly archiveUrl: string;
  readonly times?: DownloadTimes;
  /** Requests a reconcile of a Karmada object (`namespace/name`). */
  readonly onChange: (key: string) => void;
}

/** Source that control planes use, and the state of its attempts. */
interface Fetching {
  readonly source: FetchedSource;
  job: FetchState;
}

/** Control plane that uses a fetched archive. */
interface Client extends ArchiveRequest {
  readonly identity: string;
  /** `uid/generation` of the Karmada object. */
  readonly generation: string;
}

/** Key of a source. Policy Always has separate jobs, because it must not use an archive from the disk. */
const sourceKey = (source: FetchedSource): string =>
  `${identityOf(source)}${source.kind === 'http' && source.always ? '/always' : ''}`;

export class Archives {
  readonly #options: ArchivesOptions;
  readonly #tools: FetchTools;
  readonly #releases = new Map<string, Promise<ArchiveSnapshot>>();
  /** By `sourceKey`. */
  readonly #poller: Poller<Fetching, Fetched>;
  readonly #clients = new Map<string, Client>();

  constructor(options: ArchivesOptions) {
    this.#options = options;
    const { clock, random, ready, writable } = options;
    this.#tools = { ...options, store: new ArchiveStore({ ready, writable }) };
    this.#poller = new Poller({
      clock,
      check: ({ source, job }, signal) => fetchArchive(this.#tools, source, job.verified, signal),
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
    const own = source === undefined ? UNKNOWN_VERSION : await this.#ofRelease(source);
    if (own !== 'absent') {
      this.forget(key);
      return own;
    }
    const { archiveUrl } = this.#options;
    const { release = '' } = source ?? {};
    return this.#fetched(key, karmada, publishedSource(archiveUrl, release));
  }

  /** Returns the fetched archive of a control plane. */
  #fetched(key: string, karmada: Karmada, source: FetchedSource): ArchiveSnapshot {
    const client = this.#enter(key, generationOf(karmada), source);
    const snapshot = snapshotOf(source, this.#stateOf(client.identity), client);
    if ('archive' in snapshot) this.#clients.set(key, { ...client, served: true });
    return snapshot;
  }

  /** Frees cached archives that can be read again from disk. */
  rest(): void {
    this.#releases.clear();
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
  #enter(key: string, generation: string, source: FetchedSource): Client {
    const identity = sourceKey(source);
    const known = this.#clients.get(key);
    const isSame = known?.identity === identity;
    if (isSame && known.generation === generation) return known;
    if (!isSame) this.forget(key);
    if (this.#poller.get(identity) === undefined)
      this.#poller.add(identity, { source, job: NEW_FETCH_STATE });
    const job = this.#stateOf(identity);
    const running = this.#runningAttempt(identity, isSame);
    // A fetch that started before the spec change does not count for the changed spec.
    const since = job.successes + (running === 'earlier' ? 1 : 0);
    const client = { identity, generation, since, served: isSame && known.served };
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
    const { failures } = fetching.job;
    const about = { source: spoken(fetching.source) };
    if (fetched.problem === undefined) log.info(about, 'CRD archive fetched and verified');
    else
      log.warn({ ...about, ...fetched.problem, failures }, 'CRD archive fetch failed, will retry');
    this.#notify(identity);
  }

  #notify(identity: string): void {
    for (const [key, client] of this.#clients)
      if (client.identity === identity) this.#options.onChange(key);
  }

  /**
   * Returns the archive of a release in the data directories, or that of another patch release of the same minor version.
   * @returns `absent` if neither exists and the operator may download the archive
   */
  async #ofRelease(source: ReleaseSource): Promise<ArchiveSnapshot | 'absent'> {
    const own = await this.#release(source);
    if ('archive' in own || ('problem' in own && own.problem.reason !== MISSING)) return own;
    const near = karmadaReleaseOf(source.release);
    if (near !== undefined) {
      const other = await this.#release(releaseSource(near.release));
      if ('archive' in other) return { ...other, warning: otherPatch(source, near.release) };
    }
    return this.#options.archiveUrl === '' ? own : 'absent';
  }

  async #release(source: ReleaseSource): Promise<ArchiveSnapshot> {
    const known = this.#releases.get(source.url) ?? this.#readRelease(source);
    this.#releases.set(source.url, known);
    const archive = await known;
    // The next call reads the disk again after a failure.
    if ('problem' in archive) this.#releases.delete(source.url);
    return archive;
  }

  async #readRelease(source: ReleaseSource): Promise<ArchiveSnapshot> {
    try {
      const found = await this.#tools.store.ready(source);
      return found === undefined ? missingRelease(source) : { archive: found.archive };
    } catch (error) {
      const text = error instanceof ArchiveError ? error.message : errorText(error);
      return {
        problem: {
          reason: 'CrdArchiveUnusable',
          message: `CRD archive of Karmada ${source.release} in the data directory of the operator: it cannot be used (${text}); reinstall the operator image, or set spec.crdTarball to another archive`,
        },
      };
    }
  }
}

const generationOf = ({ metadata }: Karmada): string =>
  `${metadata.uid ?? ''}/${metadata.generation ?? 0}`;
