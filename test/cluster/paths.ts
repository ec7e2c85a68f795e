import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Top directory of the checkout. */
export const checkout = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * Directory of everything that may be kept between runs (binaries, images, unpacked packages).
 * `KARMADA_OPERATOR_CACHE` moves it; else it follows the XDG base directory rules.
 */
export function cacheDirectory(): string {
  const base = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return process.env['KARMADA_OPERATOR_CACHE'] ?? join(base, 'karmada-operator-ts');
}

/** Directory of the clusters that run; unlike the cache it is worthless once they are down. */
export const runDirectory = '/var/lib/karmada-embedded';

/** First 16 hex digits of the SHA-256 over the parts, which may be text or bytes. */
export function digest(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex').slice(0, 16);
}
