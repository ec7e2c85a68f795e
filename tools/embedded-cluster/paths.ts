import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Top directory of the checkout. */
export const checkout = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * Returns the cache directory (binaries, images, unpacked packages). `KARMADA_OPERATOR_CACHE` sets it; otherwise the
 * XDG base directory rules apply.
 */
export function cacheDirectory(): string {
  const base = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return process.env['KARMADA_OPERATOR_CACHE'] ?? join(base, 'karmada-operator-ts');
}

/** Directory of the running clusters. Its content is not needed after they are removed. */
export const runDirectory = '/var/lib/karmada-embedded';

/** Returns the first 16 hex digits of the SHA-256 of the parts, which are text or bytes. */
export function digest(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex').slice(0, 16);
}
