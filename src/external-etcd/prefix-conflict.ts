/** Detects two control planes that use the same key prefix of the same etcd. Pure functions. */
import { posix } from 'node:path';
import { ifEnabled } from '../api/addon.ts';
import { DEFAULT_DNS_DOMAIN } from '../api/defaults.ts';
import type { Components, Karmada } from '../api/karmada.ts';
import { instanceName } from '../api/naming.ts';
import { parseEndpoint, socketOf } from './endpoint.ts';

/** Components that store data in etcd. */
const WRITERS = ['karmadaAPIServer', 'karmadaAggregatedAPIServer', 'karmadaSearch'] as const;

type Writer = (typeof WRITERS)[number];

/** Default of `--etcd-prefix` in all three components. */
const DEFAULT_PREFIX = '/registry';

/**
 * Returns the oldest other Karmada that uses the same key range of the same etcd and was created before this one.
 * Only for a Karmada with an external etcd, which may be the local etcd of another. Detects different names of one
 * etcd only for Services.
 * @param others all Karmada objects; may contain `karmada` itself
 * @returns undefined if there is no conflict
 */
export function findPrefixConflict<T extends Karmada>(
  karmada: Karmada,
  others: readonly T[],
): T | undefined {
  if (karmada.spec?.components?.etcd?.external === undefined) return undefined;
  const own = claimsOf(karmada);
  return others
    .filter((other) => isElder(other, karmada))
    .filter((other) => [...claimsOf(other)].some((claim) => own.has(claim)))
    .sort((a, b) => (isElder(a, b) ? -1 : 1))[0];
}

/** Returns one string per key range and address that a control plane writes to. */
function claimsOf({ metadata, spec }: Karmada): ReadonlySet<string> {
  const { components = {}, hostCluster } = spec ?? {};
  const { namespace = '' } = metadata;
  const where = {
    namespace,
    dnsDomain: hostCluster?.networking?.dnsDomain || DEFAULT_DNS_DOMAIN,
  };
  const local = `${instanceName(metadata.name, 'etcd-client')}.${namespace}:2379`;
  const endpoints = components.etcd?.external?.endpoints ?? [local];
  const sockets = endpoints.flatMap((text) => socket(text, where));
  const prefixes = WRITERS.filter((writer) => isThere(components, writer)).map(
    (writer) => `${writer} ${prefixOf(components[writer])}`,
  );
  return new Set(sockets.flatMap((address) => prefixes.map((prefix) => `${address} ${prefix}`)));
}

/** Key prefixes of a control plane, each once; that of karmada-apiserver first. */
export const etcdPrefixes = (components: Components): readonly string[] => [
  ...new Set(
    WRITERS.filter((writer) => isThere(components, writer)).map((writer) =>
      prefixOf(components[writer]),
    ),
  ),
];

/** Returns an empty list for an invalid endpoint of another Karmada. */
function socket(text: string, where: Parameters<typeof socketOf>[1]): readonly string[] {
  try {
    return [socketOf(parseEndpoint(text, where), where)];
  } catch {
    return [];
  }
}

const isThere = (components: Components, writer: Writer): boolean =>
  writer !== 'karmadaSearch' || ifEnabled(components.karmadaSearch) !== undefined;

const prefixOf = (settings: Components[Writer]): string =>
  keyPrefix(settings?.extraArgs?.['etcd-prefix']);

/**
 * Normalizes a prefix as the API server library does: with a leading and without a trailing slash, and without `.` and `..`.
 * @param given value of `--etcd-prefix`
 */
export const keyPrefix = (given: string | undefined): string =>
  posix.resolve('/', given || DEFAULT_PREFIX);

function isElder({ metadata: one }: Karmada, { metadata: other }: Karmada): boolean {
  const { uid = '', creationTimestamp = '' } = one;
  if (uid === other.uid) return false;
  return creationTimestamp === other.creationTimestamp
    ? uid < (other.uid ?? '')
    : creationTimestamp < (other.creationTimestamp ?? '');
}
