/**
 * Manages the CRD archives of all control planes. It reads archives of a data directory immediately. It fetches
 * others in the background, once per source, and then requests a reconcile of each control plane with that source.
 */
import type { DefaultedSpec } from '../api/defaults.ts';
import type { Karmada } from '../api/karmada.ts';
import type { SecretPolicy } from '../api/secret-grant.ts';
import { ArchiveError } from '../controlplane/archive.ts';
import type { AddressPolicy } from '../kubernetes/addresses.ts';
import { backoffMs, type Clock, type Log, type Random } from '../kubernetes/clock.ts';
import type { KubernetesClient } from '../kubernetes/client-interface.ts';
import { errorText } from '../kubernetes/errors.ts';
import { fetchArchive, type FetchTools } from './fetch.ts';
import {
  afterTry,
  isDue,
  NEW_FETCH_STATE,
  snapshotOf,
  type FetchState,
  type ArchiveRequest,
} from './fetch-state.ts';
import type { ArchiveSnapshot } from './outcome.ts';
import type { ProxySettings } from './proxies.ts';
import {
  archiveSource,
  identityOf,
  spoken,
  type FetchedSource,
  type ReleaseSource,
} from './source.ts';
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
  readonly times?: DownloadTimes;
  /** Requests a reconcile of a Karmada object (`namespace/name`). */
  readonly onChange: (key: string) => void;
}

/** Exponential backoff after failures, in milliseconds. */
const PAUSE = { base: 2_000, max: 120_000 };

interface Fetching {
  readonly abort: AbortController;
  job: FetchState;
  cancelTimer: () => void;
}

/** Control plane that uses a fetched archive. */
interface Client extends ArchiveRequest {
  readonly identity: string;
  /** `uid/generation` of the Karmada object. */
  readonly generation: string;
}

/** Job key of a source. Policy Always has separate jobs, because it must not use an archive from the disk. */
const jobOf = (source: FetchedSource): string =>
  `${identityOf(source)}${source.kind === 'http' && source.always ? '/always' : ''}`;

export class Archives {
  readonly #options: ArchivesOptions;
  readonly #tools: FetchTools;
  readonly #releases = new Map<string, Promise<ArchiveSnapshot>>();
  readonly #fetching = new Map<string, Fetching>();
  readonly #clients = new Map<string, Client>();

  constructor(options: ArchivesOptions) {
    this.#options = options;
    const { ready, writable } = options;
    this.#tools = { ...options, store: new ArchiveStore({ ready, writable }) };
  }

  /** Returns the archive of a control plane, or why there is none yet. Never waits for the network, never rejects. */
  async of(karmada: Karmada, spec: DefaultedSpec): Promise<ArchiveSnapshot> {
    const { name, namespace = '' } = karmada.metadata;
    const key = `${namespace}/${name}`;
    const source = archiveSource(namespace, spec);
    if (source === undefined || source.kind === 'release') {
      this.forget(key);
      return source === undefined ? UNKNOWN_VERSION : this.#release(source);
    }
    const identity = jobOf(source);
    const fetching = this.#get(identity);
    const client = this.#enter(key, identity, generationOf(karmada), fetching);
    const { clock } = this.#options;
    if (isDue(source, fetching.job, client, clock.monotonic()))
      this.#start(identity, fetching, source);
    const snapshot = snapshotOf(source, fetching.job, client);
    if ('archive' in snapshot) this.#clients.set(key, { ...client, served: true });
    return snapshot;
  }

  /** Frees cached archives that can be read again from disk. */
  rest(): void {
    this.#releases.clear();
  }

  /** Removes a control plane. Cancels a fetch that no other control plane uses. */
  forget(key: string): void {
    const client = this.#clients.get(key);
    this.#clients.delete(key);
    if (client !== undefined) this.#giveUpUnused(client.identity);
  }

  /** Cancels all fetches. */
  close(): void {
    for (const key of [...this.#clients.keys()]) this.forget(key);
  }

  #get(identity: string): Fetching {
    const known = this.#fetching.get(identity);
    if (known !== undefined) return known;
    const abort = new AbortController();
    const fetching = { abort, job: NEW_FETCH_STATE, cancelTimer: () => undefined };
    this.#fetching.set(identity, fetching);
    return fetching;
  }

  #enter(key: string, identity: string, generation: string, fetching: Fetching): Client {
    const known = this.#clients.get(key);
    if (known?.identity === identity && known.generation === generation) return known;
    const same = known?.identity === identity;
    const { successes, running } = fetching.job;
    // A fetch that started before the spec change does not count for the changed spec.
    const since = successes + (same && running ? 1 : 0);
    const client = { identity, generation, since, served: same && known.served };
    this.#clients.set(key, client);
    if (known !== undefined && !same) this.#giveUpUnused(known.identity);
    // A spec change ends the backoff, because the user expects an immediate attempt.
    fetching.job = { ...fetching.job, notBefore: 0 };
    return client;
  }

  #giveUpUnused(identity: string): void {
    if ([...this.#clients.values()].some((client) => client.identity === identity)) return;
    const fetching = this.#fetching.get(identity);
    this.#fetching.delete(identity);
    fetching?.cancelTimer();
    fetching?.abort.abort();
  }

  #start(identity: string, fetching: Fetching, source: FetchedSource): void {
    fetching.cancelTimer();
    fetching.job = { ...fetching.job, running: true };
    void this.#run(identity, fetching, source);
  }

  async #run(identity: string, fetching: Fetching, source: FetchedSource): Promise<void> {
    const { clock, random, log } = this.#options;
    const { signal } = fetching.abort;
    const fetched = await fetchArchive(this.#tools, source, fetching.job.verified, signal);
    if (signal.aborted) return;
    const pause = backoffMs(fetching.job.failures, PAUSE, random);
    fetching.job = afterTry(fetching.job, fetched, clock.monotonic(), pause);
    const about = { source: spoken(source) };
    if (fetched.problem === undefined) log.info(about, 'CRD archive fetched and verified');
    else {
      const { reason, message } = fetched.problem;
      log.warn(
        { ...about, reason, message, retryInMs: Math.round(pause) },
        'CRD archive fetch failed, will retry',
      );
      fetching.cancelTimer = clock.after(pause, () => this.#notify(identity));
    }
    this.#notify(identity);
  }

  #notify(identity: string): void {
    for (const [key, client] of this.#clients)
      if (client.identity === identity) this.#options.onChange(key);
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

function missingRelease({ url, release }: ReleaseSource): ArchiveSnapshot {
  return {
    problem: {
      reason: 'CrdArchiveMissing',
      message: `spec.crdTarball: required, because the operator does not contain the CRDs of Karmada ${release}; set httpSource.url, for example to ${url}, or configMapRef`,
    },
  };
}

const UNKNOWN_VERSION: ArchiveSnapshot = {
  problem: {
    reason: 'CrdArchiveUnknown',
    message:
      'spec.components.karmadaControllerManager.imageTag: the tag is not a Karmada release, so the required CRDs are unknown; set spec.crdTarball',
  },
};
