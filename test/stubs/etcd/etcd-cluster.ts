/** Members of etcd clusters without data of their own: who belongs to a cluster, who runs, and who leads. */
import { createHash } from 'node:crypto';
import type { PeerScheme } from '../../../src/components/etcd/peer-flags.ts';
import { GRPC } from '../../../src/etcd/errors.ts';
import { Store } from '../api/store.ts';

export interface EtcdMember {
  readonly id: bigint;
  /** Empty until the member has started. */
  readonly name: string;
  readonly peerURLs: readonly string[];
  readonly isLearner: boolean;
}

/** A process that runs as a member. */
export interface MemberProcess {
  readonly name: string;
  /** Scheme of the connections that it accepts from other members. */
  readonly listens: PeerScheme;
  /** Whether it can connect to members that accept only https. */
  readonly hasCertificate: boolean;
  /** Is called when the member must exit. */
  readonly end: () => void;
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
  readonly #running = new Map<bigint, MemberProcess>();
  readonly #listeners = new Set<() => void>();
  #leader = 0n;
  term = 1;
  /** How often clients have asked for the state of a member. */
  queries = 0;

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

  /** Leader that a member follows; 0 without a connection to it. */
  leaderOf(id: bigint): bigint {
    return this.#areConnected(id, this.#leader) ? this.#leader : 0n;
  }

  find(id: bigint): EtcdMember | undefined {
    return this.#members.get(id);
  }

  isRunning(id: bigint): boolean {
    return this.#running.has(id);
  }

  get hasQuorum(): boolean {
    return this.members.some(({ id }) => this.#canLead(id));
  }

  /** Whether a majority of the voters follows a voter. */
  #canLead(leader: bigint): boolean {
    const voters = this.members.filter(({ isLearner }) => !isLearner);
    const following = voters.filter(({ id }) => this.#areConnected(id, leader));
    return voters.some(({ id }) => id === leader) && following.length > voters.length / 2;
  }

  /** Members connect to each other at the listed URLs. */
  #areConnected(one: bigint, other: bigint): boolean {
    if (one === other) return this.#running.has(one);
    return this.#dials(one, other) && this.#dials(other, one);
  }

  #dials(from: bigint, to: bigint): boolean {
    const [client, server] = [this.#running.get(from), this.#running.get(to)];
    if (client === undefined || server === undefined) return false;
    const urls = this.#members.get(to)?.peerURLs ?? [];
    const isListed = urls.some((url) => url.startsWith(`${server.listens}:`));
    return isListed && (server.listens === 'http' || client.hasCertificate);
  }

  /** Calls `listener` after each change of the members, the leader or the quorum. @returns function that ends it */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A member starts. */
  start(id: bigint, process: MemberProcess): void {
    if (this.#removed.has(id))
      throw new EtcdError(
        GRPC.notFound,
        'the member has been permanently removed from the cluster',
      );
    const member = this.#members.get(id);
    if (member === undefined) throw new EtcdError(GRPC.notFound, 'member not found');
    this.#members.set(id, { ...member, name: process.name });
    this.#running.set(id, process);
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
    const process = this.#running.get(id);
    this.#running.delete(id);
    this.#changed();
    process?.end();
  }

  update(id: bigint, peerURLs: readonly string[]): void {
    this.#requireQuorum();
    this.relist(id, peerURLs);
  }

  /** Lists a member as if its cluster had started with these URLs. */
  relist(id: bigint, peerURLs: readonly string[]): void {
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
    if (!this.#canLead(this.#leader)) {
      const next = this.members.find(({ id }) => this.#canLead(id));
      this.#leader = next?.id ?? 0n;
      if (next !== undefined) this.term += 1;
    }
    for (const listener of [...this.#listeners]) listener();
  }
}
