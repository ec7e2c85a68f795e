import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** Returns the digest of a file in hex. */
export async function fileDigest(file: string, algorithm = 'sha256'): Promise<string> {
  const hash = createHash(algorithm);
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Returns the SHA-256 of a text in hex. */
export const textDigest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Formats a file for `sha256sum --check`, from file names to digests. */
export function checksums(digests: Readonly<Record<string, string>>): string {
  const names = Object.keys(digests).sort();
  return names.map((name) => `${digests[name] ?? ''}  ${name}\n`).join('');
}
