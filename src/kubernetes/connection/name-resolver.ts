/**
 * The only resolver of the operator for names in connections. Names of one tenant that do not resolve do not delay the names of
 * others: each tenant has a limited number of queries at once, and the tenants take turns in the only thread.
 */
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { AddressesOf, AddressPolicy } from './addresses.ts';
import { systemSources, type NameSources } from './name-sources.ts';
import type { ReceivedData } from '../fairness/received-data.ts';
import { Slots } from '../fairness/slots.ts';

/** Names of one tenant that are queried at once. The others wait. */
const QUERIES = 16;
/** Names of one tenant that are queried or wait. A further name is rejected, because its connection would time out. */
const MAX_NAMES = 256;

type Found = readonly LookupAddress[];

export class NameResolver {
  readonly #sources: NameSources;
  /** Names under way by tenant; only tenants with names. */
  readonly #names = new Map<string, Map<string, Promise<Found>>>();
  readonly #queries = new Slots(QUERIES);
  /** One name of each tenant waits for the thread, so the tenants take turns. */
  readonly #turns = new Slots(1);
  readonly #thread = new Slots(1);

  constructor(sources: NameSources = systemSources()) {
    this.#sources = sources;
  }

  /** Returns the lookup function for connections on behalf of a tenant. @param tenant namespace of the Karmada objects */
  for(tenant: string): LookupFunction {
    return (name, { all, family }, done) => {
      const wanted = family === 4 || family === 6 ? family : undefined;
      this.#of(tenant, name).then(
        (found) => {
          const fitting = found.filter((one) => wanted === undefined || one.family === wanted);
          const [first] = fitting;
          if (first === undefined) done(notFound(name), '');
          else if (all === true) done(null, fitting);
          else done(null, first.address, first.family);
        },
        (error: unknown) => done(error as NodeJS.ErrnoException, ''),
      );
    };
  }

  /** Concurrent lookups of one name share a result. */
  #of(tenant: string, name: string): Promise<Found> {
    const names = this.#names.get(tenant) ?? new Map<string, Promise<Found>>();
    this.#names.set(tenant, names);
    const known = names.get(name);
    if (known !== undefined) return known;
    if (names.size >= MAX_NAMES) return Promise.reject(tooMany(name));
    const found = this.#find(tenant, name).finally(() => {
      names.delete(name);
      if (names.size === 0) this.#names.delete(tenant);
    });
    names.set(name, found);
    return found;
  }

  async #find(tenant: string, name: string): Promise<Found> {
    const found = await this.#queries.run(tenant, () => this.#sources.resolve(name));
    if (found.length > 0) return found;
    return this.#turns.run(tenant, () => this.#thread.run('', () => this.#sources.lookup(name)));
  }
}

/**
 * Returns how the operator connects to the addresses that the users of each namespace specify.
 * @param received shares the thread with what the servers send; without it, one namespace may occupy it
 */
export const addressesOf =
  (policy: AddressPolicy, names: NameResolver, received?: Pick<ReceivedData, 'of'>): AddressesOf =>
  (namespace) => ({
    ...policy,
    lookup: names.for(namespace),
    ...(received && { inTurn: received.of(namespace) }),
  });

const notFound = (name: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${name}: no address of the requested IP family`), {
    code: 'ENOTFOUND',
  });

const tooMany = (name: string): NodeJS.ErrnoException =>
  Object.assign(
    new Error(`${name}: ${MAX_NAMES} other names of the same namespace wait for DNS servers`),
    { code: 'EAI_AGAIN' },
  );
