import { createHash, X509Certificate } from 'node:crypto';
import type { KubernetesClient } from '../../src/kubernetes/contract.ts';
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

/**
 * Follows every version of every Secret, so that no authority that was there for a moment goes unseen.
 * @param client is closed by `stop`
 */
export function watchAuthorities(client: KubernetesClient, namespace: string): Authorities {
  const stopping = new AbortController();
  const seen = new Map<string, Set<string>>();
  const options = { namespace, resourceVersion: '0', signal: stopping.signal };
  const follow = async (): Promise<string> => {
    for await (const { object } of client.watch(resources.Secret, options)) {
      for (const [key, value] of Object.entries((object['data'] ?? {}) as object)) {
        if (!isAuthority(key)) continue;
        const place = `${object.metadata.name} ${key}`;
        seen.set(place, (seen.get(place) ?? new Set()).add(fingerprints(String(value))));
      }
    }
    return 'the server ended it';
  };
  const ended = follow().catch((error: unknown) => String(error));
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
