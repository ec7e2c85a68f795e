import { createHash, X509Certificate } from 'node:crypto';
import { sleep, systemClock } from '../../src/kubernetes/clock.ts';
import type { KubernetesClient } from '../../src/kubernetes/client-interface.ts';
import { ApiError, isExpired, NetworkError } from '../../src/kubernetes/errors.ts';
import type { KubernetesObject } from '../../src/kubernetes/object.ts';
import { resources } from '../../src/kubernetes/resources.ts';

/** Whether a Secret key contains a CA certificate or the public key of ServiceAccount tokens. */
const isAuthority = (key: string): boolean => /(^|-)ca\.crt$|^service-account\.pub$/.test(key);

/** CAs seen in the Secrets of a namespace: SHA-256 fingerprints by `<Secret name> <key>`. */
export interface Authorities {
  readonly seen: ReadonlyMap<string, ReadonlySet<string>>;
  /** @throws Error if the watch ended earlier, because versions may then be missing */
  stop(): Promise<void>;
}

function fingerprints(encoded: string): string {
  const pem = Buffer.from(encoded, 'base64').toString('utf8');
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (blocks === null) return createHash('sha256').update(pem).digest('hex');
  return blocks.map((block) => new X509Certificate(block).fingerprint256).join(' ');
}

const PAUSE_MS = 200;

/** True if the API server is unreachable or not ready yet; the watch is then retried. */
const isTransient = (error: unknown): boolean =>
  error instanceof NetworkError || (error instanceof ApiError && error.code >= 500);

/**
 * Watches all Secrets of a namespace and records every CA, including one that exists only for a moment. A broken
 * watch resumes at the last resourceVersion. If that version has expired, the watch starts with the current objects;
 * a replaced CA is not stored again, so a replacement is still detected.
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
      if (early !== undefined)
        throw new Error(`Secrets of ${namespace}: versions may be missing: ${early}`);
    },
  };
}

/** Keys with more than one CA over time; empty if no CA was replaced. */
export function changedAuthorities({ seen }: Authorities): string[] {
  return [...seen].filter(([, versions]) => versions.size !== 1).map(([place]) => place);
}
