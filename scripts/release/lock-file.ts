import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A package in package-lock.json. */
export interface LockedPackage {
  readonly version: string;
  /** Subresource integrity, such as `sha512-…` in base64. */
  readonly integrity: string;
}

/** Reads the packages of package-lock.json: path, such as `node_modules/pino`, to entry. */
export async function lockedPackages(
  root: string,
): Promise<Readonly<Record<string, LockedPackage>>> {
  const text = await readFile(join(root, 'package-lock.json'), 'utf8');
  return (JSON.parse(text) as { packages: Record<string, LockedPackage> }).packages;
}

/**
 * Returns the SHA-512 in hex of an integrity value.
 * @throws Error if it has another algorithm
 */
export function sha512Of(integrity: string): string {
  const [, base64] = /^sha512-([A-Za-z0-9+/]+={0,2})$/.exec(integrity) ?? [];
  if (base64 === undefined) throw new Error(`integrity ${integrity}: not a SHA-512`);
  return Buffer.from(base64, 'base64').toString('hex');
}
