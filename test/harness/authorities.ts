import { createHash, X509Certificate } from 'node:crypto';
import type { KubernetesClient } from '../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { resources } from '../../src/kubernetes/objects/resources.ts';
import { followObjects } from './follow-objects.ts';

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

/**
 * Watches all Secrets of a namespace and records every CA, including one that exists only for a moment. A replaced CA is not
 * stored again, so a replacement is detected also when versions of a Secret are missing.
 * @param client is closed by `stop`
 */
export function watchAuthorities(client: KubernetesClient, namespace: string): Authorities {
  const seen = new Map<string, Set<string>>();
  const note = ({ metadata, ...object }: KubernetesObject): void => {
    for (const [key, value] of Object.entries((object['data'] ?? {}) as object)) {
      if (!isAuthority(key)) continue;
      const place = `${metadata.name} ${key}`;
      seen.set(place, (seen.get(place) ?? new Set()).add(fingerprints(String(value))));
    }
  };
  return { seen, ...followObjects(client, resources.Secret, namespace, note) };
}

/** Keys with more than one CA over time; empty if no CA was replaced. */
export function changedAuthorities({ seen }: Authorities): string[] {
  return [...seen].filter(([, versions]) => versions.size !== 1).map(([place]) => place);
}
