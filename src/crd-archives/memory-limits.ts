/** Limits for the memory of CRD archives: of all together, and of the control planes in one namespace. Pure functions. */
import type { CrdArchive } from '../controlplane/crds.ts';

const MIB = 2 ** 20;

/** Limits in bytes of memory. */
export interface MemoryLimits {
  readonly all: number;
  /** Of the control planes in one namespace. */
  readonly namespace: number;
}

/** The archive of a Karmada release needs about 2 MiB, one at the limits of an archive about 25 MiB. */
export const MEMORY_LIMITS: MemoryLimits = { all: 128 * MIB, namespace: 48 * MIB };

/** An archive in memory. */
export interface ArchiveUse {
  /** SHA-256 of the archive. */
  readonly digest: string;
  readonly bytes: number;
  /** Namespaces of the control planes that use it. */
  readonly namespaces: readonly string[];
  /** Number that is larger the later the archive was used. */
  readonly lastUsed: number;
}

/**
 * Returns the archives to remove from memory, so that the rest is within a limit. Archives of the namespaces that use the most
 * memory go first, so that a namespace with large archives does not displace those of others; then the least recently used.
 */
export function toEvict(uses: readonly ArchiveUse[], limit: number): readonly string[] {
  const usage = usageOf(uses);
  const weightOf = ({ namespaces }: ArchiveUse): number =>
    Math.min(...namespaces.map((namespace) => usage.get(namespace) ?? 0));
  const order = uses.toSorted(
    (one, other) => weightOf(other) - weightOf(one) || one.lastUsed - other.lastUsed,
  );
  let excess = uses.reduce((sum, { bytes }) => sum + bytes, 0) - limit;
  const evicted: string[] = [];
  for (const { digest, bytes } of order) {
    if (excess <= 0) break;
    evicted.push(digest);
    excess -= bytes;
  }
  return evicted;
}

/** Bytes of all archives of each namespace. */
function usageOf(uses: readonly ArchiveUse[]): ReadonlyMap<string, number> {
  const usage = new Map<string, number>();
  for (const { namespaces, bytes } of uses)
    for (const namespace of namespaces) usage.set(namespace, (usage.get(namespace) ?? 0) + bytes);
  return usage;
}

/** Archive of a control plane. */
export interface ArchiveUser {
  /** Key of the Karmada object. */
  readonly key: string;
  /** `creationTimestamp` of the Karmada object. */
  readonly createdAt: string;
  readonly digest: string;
  readonly bytes: number;
}

/**
 * Returns the keys of the control planes whose archives are within the limit of their namespace. The Karmada objects that were
 * created first may use their archives, so a further one affects only itself.
 * @param users all control planes of one namespace with a known archive
 */
export function withinNamespace(users: readonly ArchiveUser[], limit: number): ReadonlySet<string> {
  const order = users.toSorted(
    (one, other) => compare(one.createdAt, other.createdAt) || compare(one.key, other.key),
  );
  const digests = new Set<string>();
  const within = new Set<string>();
  let sum = 0;
  for (const { key, digest, bytes } of order) {
    const added = digests.has(digest) ? 0 : bytes;
    if (sum + added > limit) continue;
    digests.add(digest);
    within.add(key);
    sum += added;
  }
  return within;
}

/** Control plane that uses the archive of a source. */
export interface SourceUser extends ArchiveUser {
  /** Identity of the source. */
  readonly identity: string;
  readonly namespace: string;
}

/**
 * Returns the namespaces of the control planes that use a source within the limit of their namespace, by its identity.
 * @param users all control planes with a known archive
 */
export function namespacesWithin(
  users: readonly SourceUser[],
  limit: number,
): ReadonlyMap<string, readonly string[]> {
  const byNamespace = Map.groupBy(users, ({ namespace }) => namespace);
  const within = [...byNamespace.values()].flatMap((some) => {
    const keys = withinNamespace(some, limit);
    return some.filter(({ key }) => keys.has(key));
  });
  const bySource = [...Map.groupBy(within, ({ identity }) => identity)];
  return new Map(bySource.map(([identity, some]) => [identity, some.map((one) => one.namespace)]));
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Returns about how much memory the CRDs of an archive need, in bytes. Never less than V8 uses. */
export const memoryOf = ({ crds }: CrdArchive): number => sizeOf(crds);

/** An object or array, a property or item, a string, and a number that is no small integer. */
const BYTES = { object: 64, entry: 24, text: 32, number: 16 } as const;

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return BYTES.text + value.length * (isOneByte(value) ? 1 : 2);
  if (typeof value !== 'object' || value === null) return BYTES.number;
  let size: number = BYTES.object;
  for (const [key, inner] of Object.entries(value))
    size += BYTES.entry + (Array.isArray(value) ? 0 : key.length) + sizeOf(inner);
  return size;
}

/** V8 stores a string with only such characters in one byte for each. */
const isOneByte = (text: string): boolean => !/[^\0-\xff]/.test(text);
