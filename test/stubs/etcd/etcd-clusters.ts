/** Starts members as etcd does: with the data of their volume, as a new cluster, or as a new member of a running one. */
import { EtcdCluster, idOf, type EtcdMember } from './etcd-cluster.ts';

/** Flags of a member that decide which cluster it belongs to. */
export interface MemberFlags {
  readonly name: string;
  readonly peerURL: string;
  /** Names and peer URLs of `--initial-cluster`. */
  readonly initial: readonly (readonly [name: string, url: string])[];
  readonly state: 'new' | 'existing';
  readonly token: string;
}

/** A member with its data. */
export interface Membership {
  readonly cluster: EtcdCluster;
  readonly id: bigint;
}

/** Flags of a command line; the last one of each name counts. */
export function memberFlags(command: readonly string[]): MemberFlags {
  const flags = new Map(
    command.flatMap((one) => {
      const [, name = '', value = ''] = /^--([\w-]+)=(.*)$/.exec(one) ?? [];
      return name === '' ? [] : [[name, value] as const];
    }),
  );
  const name = flags.get('name') ?? '';
  const initial = (flags.get('initial-cluster') ?? '').split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at < 0 ? [] : [[pair.slice(0, at), pair.slice(at + 1)] as const];
  });
  return {
    name,
    peerURL: flags.get('initial-advertise-peer-urls') ?? '',
    initial,
    state: flags.get('initial-cluster-state') === 'existing' ? 'existing' : 'new',
    token: flags.get('initial-cluster-token') ?? '',
  };
}

export class EtcdClusters {
  /** By volume and data directory. */
  readonly #data = new Map<string, Membership>();
  readonly #clusters = new Set<EtcdCluster>();

  /**
   * Membership of a member that starts.
   * @param data identifies the data directory
   * @throws Error with the text of etcd if it cannot start
   */
  join(data: string, flags: MemberFlags): Membership {
    const known = this.#data.get(data);
    if (known !== undefined) return known;
    const found = flags.state === 'new' ? this.#bootstrap(flags) : this.#existing(flags);
    this.#data.set(data, found);
    return found;
  }

  /** A volume is deleted. @param prefix of its data directories */
  forget(prefix: string): void {
    for (const data of this.#data.keys()) if (data.startsWith(prefix)) this.#data.delete(data);
  }

  #bootstrap({ name, initial, token }: MemberFlags): Membership {
    const members = initial.map(([one, url]): EtcdMember => ({
      id: idOf(url, token),
      name: one,
      peerURLs: [url],
      isLearner: false,
    }));
    const id = idOf(...members.map((one) => String(one.id)).sort());
    const own = members.find((one) => one.name === name);
    if (own === undefined)
      throw new Error(`couldn't find local name "${name}" in the initial cluster configuration`);
    const forming = [...this.#clusters].find(
      (one) =>
        one.id === id &&
        ![...this.#data.values()].some((data) => data.cluster === one && data.id === own.id),
    );
    const cluster = forming ?? new EtcdCluster(id, members);
    this.#clusters.add(cluster);
    return { cluster, id: own.id };
  }

  #existing({ peerURL, initial }: MemberFlags): Membership {
    const urls = new Set(initial.map(([, url]) => url));
    const cluster = [...this.#clusters].find((one) =>
      one.members.some(
        ({ id, peerURLs }) =>
          one.isRunning(id) && peerURLs.some((url) => url !== peerURL && urls.has(url)),
      ),
    );
    if (cluster === undefined)
      throw new Error(
        'error validating peerURLs: cannot fetch cluster info from peer urls: could not retrieve cluster information from the given URLs',
      );
    if (cluster.members.length !== initial.length)
      throw new Error('error validating peerURLs: member count is unequal');
    const own = cluster.members.find(({ peerURLs }) => peerURLs.includes(peerURL));
    if (own === undefined)
      throw new Error('error validating peerURLs: unmatched member while checking PeerURLs');
    return { cluster, id: own.id };
  }
}
