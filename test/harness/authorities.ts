import { createHash, X509Certificate } from 'node:crypto';
import { sleep, systemClock } from '../../src/kubernetes/clock.ts';
import type { KubernetesClient } from '../../src/kubernetes/contract.ts';
import { ApiError, isExpired, NetworkError } from '../../src/kubernetes/errors.ts';
import type { KubernetesObject } from '../../src/kubernetes/object.ts';
import { resources } from '../../src/kubernetes/resources.ts';

/** What vouches for others: authorities, and the key of ServiceAccount tokens. */
const isAuthority = (key: string): boolean => /(^|-)ca\.crt$|^service-account\.pub$/.test(key);

/** Authorities that were ever in the Secrets of a namespace, as `secret key`: fingerprints. */
export interface Authorities {
  readonly seen: ReadonlyMap<string, ReadonlySet<string>>;
  /** @throws Error when the watch had ended before, so that something may have gone unseen */
  stop(): Promise<void>;
}

function fingerprints(encoded: string): string {
  const pem = Buffer.from(encoded, 'base64').toString('utf8');
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (blocks === null) return createHash('sha256').update(pem).digest('hex');
  return blocks.map((block) => new X509Certificate(block).fingerprint256).join(' ');
}

const PAUSE_MS = 200;

/** An API server that is away, or not ready yet. */
const isTransient = (error: unknown): boolean =>
  error instanceof NetworkError || (error instanceof ApiError && error.code >= 500);

/**
 * Follows every version of every Secret, so that no authority that was there for a moment goes unseen. A watch that is
 * cut goes on where it was, or, after a restart of the API server, with what is there: one that was replaced does not
 * come back.
 * @param client is closed by `stop`
 */
export function watchAuthorities(client: KubernetesClient, namespace: string): Authorities {
  const stopping = new AbortController();
  const { signal } = stopping;
  const seen = new Map<string, Set<string>>();
  let resourceVersion = '0';
  const note = ({ metadata, ...object }: KubernetesObject): void => {
    resourceVersion = metadata.resourceVersion ?? resourceVersion;
    for (const [key, value] of Object.entries((object['data'] ?? {}) as object)) {
      if (!isAuthority(key)) continue;
      const place = `${metadata.name} ${key}`;
      seen.set(place, (seen.get(place) ?? new Set()).add(fingerprints(String(value))));
    }
  };
  const follow = async (): Promise<string> => {
    for (;;) {
      try {
        const options = { namespace, resourceVersion, signal };
        for await (const { object } of client.watch(resources.Secret, options)) note(object);
      } catch (error) {
        if (isExpired(error)) resourceVersion = '0';
        else if (!isTransient(error)) return String(error);
      }
      await sleep(systemClock, PAUSE_MS, signal);
    }
  };
  const ended = follow();
  return {
    seen,
    stop: async () => {
      const early = await Promise.race([ended, Promise.resolve(undefined)]);
      stopping.abort(new Error('enough'));
      await ended;
      await client.close();
      if (early !== undefined) throw new Error(`Secrets of ${namespace} went unseen: ${early}`);
    },
  };
}

/** Authorities of which there was not exactly one; empty when all is well. */
export function changedAuthorities({ seen }: Authorities): string[] {
  return [...seen].filter(([, versions]) => versions.size !== 1).map(([place]) => place);
}
