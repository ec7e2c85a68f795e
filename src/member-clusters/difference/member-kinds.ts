/** Kinds that a member cluster serves, from its discovery documents. */
import { isObject } from '../../kubernetes/objects/compare.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { parseJson, toApiError } from '../../kubernetes/client/errors.ts';
import {
  clusterType,
  namespacedType,
  type ResourceType,
} from '../../kubernetes/objects/resources.ts';
import { inParallel } from '../../kubernetes/fairness/in-parallel.ts';

/** Reads discovery documents. */
export type DiscoveryClient = Pick<KubernetesClient, 'raw'>;

const NOT_FOUND = 404;
const OK = 200;

/** API versions that a member cluster serves, twice as many with those of the Works; kinds of one of them, and of all. */
const MAX_VERSIONS = 500;
const MAX_KINDS = 1_000;
const MAX_KINDS_IN_ALL = 10_000;
/** Length of an API version or of a name of a kind. A group and a resource have at most 253 characters. */
const MAX_NAME_LENGTH = 320;

const tooMany = (most: number, what: string): Error =>
  new Error(`it has more than ${most} ${what}`);

/** @throws Error for a name that no API server accepts */
function checkNames(names: readonly string[]): void {
  if (names.some(({ length }) => length > MAX_NAME_LENGTH))
    throw new Error(`an API version or kind has more than ${MAX_NAME_LENGTH} characters`);
}

/** Kinds of an API version. */
interface ServedKinds {
  readonly list: readonly ResourceType[];
  /** The first one of each name. */
  readonly byName: ReadonlyMap<string, ResourceType>;
}

const servedKinds = (list: readonly ResourceType[]): ServedKinds => ({
  list,
  byName: new Map(list.toReversed().map((type) => [type.kind, type])),
});

/** Kinds of a member cluster. Each API version is read once. */
export class MemberKinds {
  readonly #client: DiscoveryClient;
  readonly #signal: AbortSignal | undefined;
  readonly #versions = new Map<string, Promise<ServedKinds>>();
  #count = 0;

  constructor(client: DiscoveryClient, signal?: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
  }

  /** Finds a kind. @returns undefined if the member cluster does not serve it @throws ApiError, NetworkError */
  async find(apiVersion: string, kind: string): Promise<ResourceType | undefined> {
    return (await this.#kindsOf(apiVersion)).byName.get(kind);
  }

  /** Lists the kinds of all groups in their preferred versions. @throws ApiError, NetworkError */
  async all(): Promise<readonly ResourceType[]> {
    const versions = preferredVersions(await this.#read('/apis'));
    if (versions.length > MAX_VERSIONS) throw tooMany(MAX_VERSIONS, 'API versions');
    checkNames(versions);
    const kinds = await inParallel(['v1', ...versions], (one) => this.#kindsOf(one));
    return kinds.flatMap(({ list }) => list);
  }

  #kindsOf(apiVersion: string): Promise<ServedKinds> {
    const known = this.#versions.get(apiVersion);
    if (known !== undefined) return known;
    if (this.#versions.size > 2 * MAX_VERSIONS) throw tooMany(2 * MAX_VERSIONS, 'API versions');
    const root = apiVersion.includes('/') ? '/apis/' : '/api/';
    const path = root + apiVersion.split('/').map(encodeURIComponent).join('/');
    const read = this.#read(path).then((found) => {
      const kinds = listedKinds(apiVersion, found);
      if (kinds.length > MAX_KINDS) throw tooMany(MAX_KINDS, 'kinds of one API version');
      checkNames(kinds.flatMap(({ kind, plural }) => [kind, plural]));
      this.#count += kinds.length;
      if (this.#count > MAX_KINDS_IN_ALL) throw tooMany(MAX_KINDS_IN_ALL, 'kinds');
      return servedKinds(kinds);
    });
    this.#versions.set(apiVersion, read);
    return read;
  }

  async #read(path: string): Promise<unknown> {
    const { status, body } = await this.#client.raw(
      path,
      this.#signal === undefined ? {} : { signal: this.#signal },
    );
    if (status === NOT_FOUND) return undefined;
    if (status !== OK) throw toApiError(`get ${path}`, { code: status, body });
    return parseJson(`get ${path}`, body);
  }
}

/** Preferred API version of each group. @param found an APIGroupList */
export function preferredVersions(found: unknown): readonly string[] {
  return items(found, 'groups').flatMap(({ preferredVersion }) =>
    isObject(preferredVersion) && typeof preferredVersion['groupVersion'] === 'string'
      ? [preferredVersion['groupVersion']]
      : [],
  );
}

/** Kinds that can be listed and read, without subresources. @param found an APIResourceList; undefined if there is none */
export function listedKinds(apiVersion: string, found: unknown): readonly ResourceType[] {
  return items(found, 'resources').flatMap(({ name, kind, namespaced, verbs }) => {
    if (typeof name !== 'string' || typeof kind !== 'string' || name.includes('/')) return [];
    if (!Array.isArray(verbs) || !['get', 'list'].every((verb) => verbs.includes(verb))) return [];
    return [(namespaced === true ? namespacedType : clusterType)(apiVersion, kind, name)];
  });
}

function items(found: unknown, field: string): readonly Readonly<Record<string, unknown>>[] {
  const list = isObject(found) ? found[field] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}
