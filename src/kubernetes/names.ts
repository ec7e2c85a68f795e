/**
 * Addresses of servers by their names, without Node's usual way: that one takes a thread for each name, of which there are
 * two, and a name whose name server is silent keeps its thread for ten seconds and more. A few such names, asked for again
 * and again, would keep everybody else in the process from connecting to anything by name.
 */
import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup, Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';

/** What is asked for addresses, in this order. */
export interface NameSources {
  /** Name servers, which are asked without a thread. */
  resolve(name: string, family: 4 | 6): Promise<readonly string[]>;
  /** All that the system knows besides, such as its file of hosts and its search domains; in a thread. */
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

/** A way to look names up that takes one thread at most, whatever is asked of it. */
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
  Object.assign(new Error(`${name} has no address of the family that is wanted`), {
    code: 'ENOTFOUND',
  });

class Names {
  readonly #sources: NameSources;
  /** Names that are being looked up. */
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
