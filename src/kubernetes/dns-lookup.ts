/**
 * DNS lookup that uses at most one thread. The default lookup of Node.js blocks one of two threads for each name, for
 * ten seconds or more if the DNS server does not respond. A few such names would block all other lookups of the
 * process.
 */
import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup, Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';

/** Sources of addresses in the order of their use. */
export interface NameSources {
  /** Queries the DNS servers without a thread. */
  resolve(name: string, family: 4 | 6): Promise<readonly string[]>;
  /** Queries the resolver of the operating system (hosts file, search domains) in a thread. */
  lookup(name: string): Promise<readonly LookupAddress[]>;
}

const TIMES = { timeout: 2_000, tries: 2 };

function systemSources(): NameSources {
  const resolver = new Resolver(TIMES);
  return {
    resolve: (name, family) => (family === 4 ? resolver.resolve4(name) : resolver.resolve6(name)),
    lookup: (name) => systemLookup(name, { all: true }),
  };
}

/** Creates a lookup function for connections that uses at most one thread. */
export function createLookup(sources: NameSources = systemSources()): LookupFunction {
  const names = new Names(sources);
  return (name, { all, family }, done) => {
    const wanted = family === 4 || family === 6 ? family : undefined;
    names.of(name).then(
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

const notFound = (name: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${name}: no address of the requested IP family`), {
    code: 'ENOTFOUND',
  });

/** Runs lookups. Concurrent lookups of one name share a result, and lookups in the thread run one after the other. */
class Names {
  readonly #sources: NameSources;
  /** Lookups in progress by name. */
  readonly #underWay = new Map<string, Promise<LookupAddress[]>>();
  /** Resolves when the thread is free. */
  #free: Promise<unknown> = Promise.resolve();

  constructor(sources: NameSources) {
    this.#sources = sources;
  }

  of(name: string): Promise<LookupAddress[]> {
    const known = this.#underWay.get(name);
    if (known !== undefined) return known;
    const found = this.#find(name).finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, found);
    return found;
  }

  async #find(name: string): Promise<LookupAddress[]> {
    const ask = async (family: 4 | 6): Promise<LookupAddress[]> => {
      const addresses = await this.#sources.resolve(name, family).catch(() => []);
      return addresses.map((address) => ({ address, family }));
    };
    const found = (await Promise.all([ask(4), ask(6)])).flat();
    return found.length > 0 ? found : this.#inThread(name);
  }

  async #inThread(name: string): Promise<LookupAddress[]> {
    const found = this.#free.then(() => this.#sources.lookup(name));
    this.#free = found.catch(() => undefined);
    return [...(await found)];
  }
}
