/** Whether two control planes would keep their data under the same keys of the same etcd: pure. */
import { whenOn } from '../api/addon.ts';
import { DEFAULT_DNS_DOMAIN } from '../api/defaults.ts';
import type { Components, Karmada } from '../api/karmada.ts';
import { instanceName } from '../api/naming.ts';
import { parseEndpoint, socketOf } from './endpoint.ts';

/** Components with keys of their own in etcd. */
const WRITERS = ['karmadaAPIServer', 'karmadaAggregatedAPIServer', 'karmadaSearch'] as const;

type Writer = (typeof WRITERS)[number];

/** What all three take when they are told nothing else. */
const DEFAULT_PREFIX = '/registry';

/**
 * The oldest of the other Karmadas that has the same keys in the same etcd and was there before this one, or undefined:
 * for a Karmada with an external etcd, which may be the own one of another. That different names lead to one etcd is
 * seen only of a Service.
 */
export function elderOnSameKeys<T extends Karmada>(
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

/** One text for each set of keys at each address that an instance writes to. */
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

/** None for an endpoint of another Karmada that is none. */
function socket(text: string, where: Parameters<typeof socketOf>[1]): readonly string[] {
  try {
    return [socketOf(parseEndpoint(text, where), where)];
  } catch {
    return [];
  }
}

const isThere = (components: Components, writer: Writer): boolean =>
  writer !== 'karmadaSearch' || whenOn(components.karmadaSearch) !== undefined;

/** As the API server library takes it: it begins with a slash and ends without one. */
function prefixOf(settings: Components[Writer]): string {
  const given = settings?.extraArgs?.['etcd-prefix'] || DEFAULT_PREFIX;
  return `/${given.split('/').filter(Boolean).join('/')}`;
}

function isElder({ metadata: one }: Karmada, { metadata: other }: Karmada): boolean {
  const { uid = '', creationTimestamp = '' } = one;
  if (uid === other.uid) return false;
  return creationTimestamp === other.creationTimestamp
    ? uid < (other.uid ?? '')
    : creationTimestamp < (other.creationTimestamp ?? '');
}
