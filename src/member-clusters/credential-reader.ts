/**
 * Reads in the background when the credentials of member clusters expire, once for each version of a Secret. It keeps only
 * the time, never the credentials.
 */
import { BackgroundSlots } from '../kubernetes/fairness/background-slots.ts';
import { backoffMs, type Clock, type Log, type Random } from '../kubernetes/time/clock.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { errorText } from '../kubernetes/client/errors.ts';
import { Poller } from '../kubernetes/client/poller.ts';
import { keyText, resources, type ObjectKey } from '../kubernetes/objects/resources.ts';
import { credentialExpiry } from './credential-expiry.ts';

export interface CredentialReaderOptions {
  /** Client of the control plane, which stores the Secrets. */
  readonly client: Pick<KubernetesClient, 'find'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Called when another expiry is known. */
  readonly onChange: () => void;
}

/** Secret with the credentials of a member cluster, and its version. */
export interface CredentialSecret {
  readonly key: Required<ObjectKey>;
  readonly version: string;
}

/** Expiry as wall clock in milliseconds, `none` if the credentials do not expire, `pending` before the first read. */
export type Expiry = number | 'none' | 'pending';

interface Target extends CredentialSecret {
  expiry: Expiry;
  failures: number;
}

type Result = Exclude<Expiry, 'pending'> | 'failed';

const PARALLEL = 4;
const READ_TIMEOUT_MS = 1_000;
const PAUSE = { base: 5_000, max: 600_000 };

export class CredentialReader {
  readonly #options: CredentialReaderOptions;
  readonly #poller: Poller<Target, Result>;
  readonly #slots: BackgroundSlots;

  constructor(options: CredentialReaderOptions) {
    const { clock, random, log } = options;
    this.#options = options;
    this.#slots = new BackgroundSlots({ clock, count: PARALLEL, slowAfterMs: READ_TIMEOUT_MS });
    this.#poller = new Poller({
      clock,
      log,
      check: (target, signal) => this.#read(target, signal),
      onResult: (_, target, result) => this.#record(target, result),
      pauseMs: ({ failures }) =>
        failures === 0 ? undefined : backoffMs(failures - 1, PAUSE, random),
    });
  }

  /**
   * Returns what is known about these Secrets, by `namespace/name`, without waiting. Reads those of another version, and
   * forgets all others.
   */
  expiries(secrets: readonly CredentialSecret[]): ReadonlyMap<string, Expiry> {
    const wanted = new Map(secrets.map((secret) => [keyText(secret.key), secret]));
    for (const [key] of this.#poller.all()) if (!wanted.has(key)) this.#poller.forget(key);
    for (const [key, secret] of wanted) {
      const known = this.#poller.get(key);
      if (known?.version === secret.version) continue;
      this.#poller.add(key, { ...secret, expiry: known?.expiry ?? 'pending', failures: 0 });
    }
    return new Map(this.#poller.all().map(([key, { expiry }]) => [key, expiry]));
  }

  /** Aborts all reads. */
  close(): void {
    this.#poller.close();
  }

  async #read({ key }: Target, signal: AbortSignal): Promise<Result> {
    const { client, log } = this.#options;
    try {
      const secret = await this.#slots.run(() => client.find(resources.Secret, key, { signal }));
      return (secret && credentialExpiry(secret)) ?? 'none';
    } catch (error) {
      log.debug({ secret: keyText(key), error: errorText(error) }, 'reading an expiry failed');
      return 'failed';
    }
  }

  #record(target: Target, result: Result): void {
    target.failures = result === 'failed' ? target.failures + 1 : 0;
    if (result === 'failed' || result === target.expiry) return;
    target.expiry = result;
    this.#options.onChange();
  }
}
