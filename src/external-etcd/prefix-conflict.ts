/** Detects two control planes that use the same key prefix of the same etcd. */
import { posix } from 'node:path';
import { ifEnabled } from '../api/addon.ts';
import { DEFAULT_DNS_DOMAIN } from '../api/defaults/defaults.ts';
import type { Components, Karmada } from '../api/karmada.ts';
import { instanceName } from '../api/naming.ts';
import { parseEndpoint, socketOf } from './endpoint.ts';

/** Components that store data in etcd. */
const WRITERS = ['karmadaAPIServer', 'karmadaAggregatedAPIServer', 'karmadaSearch'] as const;

type Writer = (typeof WRITERS)[number];

/** Default of `--etcd-prefix` in all three components. */
const DEFAULT_PREFIX = '/registry';

/** Where the components of a control plane store their data. */
interface KeyRanges {
  readonly sockets: ReadonlySet<string>;
  /** Prefix of each component that the control plane has. */
  readonly prefixes: () => Readonly<Partial<Record<Writer, string>>>;
}

/** Finds conflicts between Karmada objects. Derives the key ranges of each object once, because there may be thousands. */
export class PrefixConflicts {
  readonly #ranges = new WeakMap<Karmada, KeyRanges>();

  /**
   * Returns the oldest other Karmada that uses the same key range of the same etcd and was created before this one.
   * Only for a Karmada with an external etcd, which may be the local etcd of another. Detects different names of one
   * etcd only for Services.
   * @param others all Karmada objects; may contain `karmada` itself
   * @returns undefined if there is no conflict
   */
  find<T extends Karmada>(karmada: Karmada, others: readonly T[]): T | undefined {
    if (karmada.spec?.components?.etcd?.external === undefined) return undefined;
    const own = this.#rangesOf(karmada);
    return others
      .filter((other) => isElder(other, karmada))
      .filter((other) => overlap(own, this.#rangesOf(other)))
      .sort((a, b) => (isElder(a, b) ? -1 : 1))[0];
  }

  #rangesOf(karmada: Karmada): KeyRanges {
    const known = this.#ranges.get(karmada) ?? rangesOf(karmada);
    this.#ranges.set(karmada, known);
    return known;
  }
}

/** Compares the prefixes, which may be long, only of Karmadas with a common socket. */
function overlap(one: KeyRanges, other: KeyRanges): boolean {
  if (![...one.sockets].some((address) => other.sockets.has(address))) return false;
  const [own, others] = [one.prefixes(), other.prefixes()];
  return WRITERS.some((writer) => own[writer] !== undefined && own[writer] === others[writer]);
}

function rangesOf({ metadata, spec }: Karmada): KeyRanges {
  const { components = {}, hostCluster } = spec ?? {};
  const { namespace = '' } = metadata;
  const where = {
    namespace,
    dnsDomain: hostCluster?.networking?.dnsDomain || DEFAULT_DNS_DOMAIN,
  };
  const local = `${instanceName(metadata.name, 'etcd-client')}.${namespace}:2379`;
  const endpoints = components.etcd?.external?.endpoints ?? [local];
  let prefixes: ReturnType<KeyRanges['prefixes']> | undefined;
  return {
    sockets: new Set(endpoints.flatMap((text) => socket(text, where))),
    prefixes: () => (prefixes ??= prefixesOf(components)),
  };
}

const prefixesOf = (components: Components): ReturnType<KeyRanges['prefixes']> =>
  Object.fromEntries(
    WRITERS.filter((writer) => isThere(components, writer)).map((writer) => [
      writer,
      prefixOf(components[writer]),
    ]),
  );

/** Key prefixes of a control plane, each once; that of karmada-apiserver first. */
export const etcdPrefixes = (components: Components): readonly string[] => [
  ...new Set(Object.values(prefixesOf(components))),
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
