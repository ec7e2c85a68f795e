/** Members of etcd clusters without data of their own: who belongs to a cluster, who runs, and who leads. */
import { createHash } from 'node:crypto';
import { GRPC } from '../../../src/etcd/errors.ts';
import { Store } from '../api/store.ts';

export interface EtcdMember {
  readonly id: bigint;
  /** Empty until the member has started. */
  readonly name: string;
  readonly peerURLs: readonly string[];
  readonly isLearner: boolean;
}

/** An error that etcd returns. */
export class EtcdError extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(`etcdserver: ${text}`);
    this.status = status;
  }
}

export const idOf = (...parts: readonly string[]): bigint =>
  createHash('sha256').update(parts.join('\0')).digest().readBigUInt64BE() | 1n;

/** One etcd cluster. Its content is that of the Karmada API. */
export class EtcdCluster {
  readonly id: bigint;
  readonly store = new Store();
  readonly #members = new Map<bigint, EtcdMember>();
  readonly #removed = new Set<bigint>();
  /** Running members, with what ends each. */
  readonly #running = new Map<bigint, () => void>();
  readonly #listeners = new Set<() => void>();
  #leader = 0n;
  term = 1;

  constructor(id: bigint, members: readonly EtcdMember[]) {
    this.id = id;
    for (const member of members) this.#members.set(member.id, member);
  }

  get members(): readonly EtcdMember[] {
    return [...this.#members.values()];
  }

  get leader(): bigint {
    return this.#leader;
  }

  find(id: bigint): EtcdMember | undefined {
    return this.#members.get(id);
  }

  isRunning(id: bigint): boolean {
    return this.#running.has(id);
  }

  get hasQuorum(): boolean {
    const voters = this.members.filter(({ isLearner }) => !isLearner);
    return voters.filter(({ id }) => this.#running.has(id)).length > voters.length / 2;
  }

  /** Calls `listener` after each change of the members, the leader or the quorum. @returns function that ends it */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A member starts. @param end is called when the member must exit */
  start(id: bigint, name: string, end: () => void): void {
    if (this.#removed.has(id))
      throw new EtcdError(
        GRPC.notFound,
        'the member has been permanently removed from the cluster',
      );
    const member = this.#members.get(id);
    if (member === undefined) throw new EtcdError(GRPC.notFound, 'member not found');
    this.#members.set(id, { ...member, name });
    this.#running.set(id, end);
    this.#changed();
  }

  stop(id: bigint): void {
    if (this.#running.delete(id)) this.#changed();
  }

  addLearner(peerURLs: readonly string[]): EtcdMember {
    this.#requireQuorum();
    if (peerURLs.some((url) => !URL.canParse(url)))
      throw new EtcdError(GRPC.invalidArgument, 'given member URLs are invalid');
    if (this.members.some((one) => one.peerURLs.some((url) => peerURLs.includes(url))))
      throw new EtcdError(GRPC.failedPrecondition, 'Peer URLs already exists');
    if (this.members.some(({ isLearner }) => isLearner))
      throw new EtcdError(GRPC.failedPrecondition, 'too many learner members in cluster');
    const id = idOf(String(this.id), ...peerURLs, String(this.store.version), String(Date.now()));
    const member = { id, name: '', peerURLs, isLearner: true };
    this.#members.set(id, member);
    this.#changed();
    return member;
  }

  promote(id: bigint): void {
    const member = this.#requireMember(id);
    this.#requireQuorum();
    if (!member.isLearner)
      throw new EtcdError(GRPC.failedPrecondition, 'can only promote a learner member');
    if (!this.#running.has(id))
      throw new EtcdError(
        GRPC.failedPrecondition,
        'can only promote a learner member which is in sync with leader',
      );
    this.#members.set(id, { ...member, isLearner: false });
    this.#changed();
  }

  remove(id: bigint): void {
    const member = this.#requireMember(id);
    this.#requireQuorum();
    const left = this.members.filter((one) => one.id !== id && !one.isLearner);
    const alive = left.filter((one) => this.#running.has(one.id)).length;
    if (!member.isLearner && alive <= left.length / 2)
      throw new EtcdError(
        GRPC.unknown,
        're-configuration failed due to not enough started members',
      );
    this.#members.delete(id);
    this.#removed.add(id);
    const end = this.#running.get(id);
    this.#running.delete(id);
    this.#changed();
    end?.();
  }

  update(id: bigint, peerURLs: readonly string[]): void {
    this.#requireQuorum();
    this.#members.set(id, { ...this.#requireMember(id), peerURLs });
    this.#changed();
  }

  moveLeader(from: bigint, to: bigint): void {
    if (this.#leader !== from) throw new EtcdError(GRPC.failedPrecondition, 'not leader');
    const target = this.#members.get(to);
    if (target === undefined || target.isLearner || !this.#running.has(to))
      throw new EtcdError(GRPC.failedPrecondition, 'bad leader transferee');
    this.#leader = to;
    this.term += 1;
    this.#changed();
  }

  #requireMember(id: bigint): EtcdMember {
    const member = this.#members.get(id);
    if (member === undefined) throw new EtcdError(GRPC.notFound, 'member not found');
    return member;
  }

  #requireQuorum(): void {
    if (!this.hasQuorum) throw new EtcdError(GRPC.unavailable, 'no leader');
  }

  #changed(): void {
    const leads = this.#running.has(this.#leader) && this.find(this.#leader)?.isLearner === false;
    if (!this.hasQuorum) this.#leader = 0n;
    else if (!leads) {
      const next = this.members.find(({ id, isLearner }) => !isLearner && this.#running.has(id));
      this.#leader = next?.id ?? 0n;
      this.term += 1;
    }
    for (const listener of [...this.#listeners]) listener();
  }
}
