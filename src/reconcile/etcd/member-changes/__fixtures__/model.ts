/**
 * Model of an etcd, its Pods and its volumes, for the test of the membership rules. It follows the documented behaviour
 * of etcd: a member without data that may join takes over the ID of its listed peer URL, a member with data ignores its
 * flags, and a removed member does not start.
 */
import { majorityOf } from '../../../../etcd/view.ts';
import { peerURL, podName } from '../facts.ts';
import type { MemberStep } from '../step.ts';
import type { Disk, ModelMember, ModelPod } from './model-objects.ts';

/** Grace period of the model. */
export const GRACE_MS = 10;

export const NAMES = { statefulSet: 'demo-etcd', domain: 'demo-etcd.team.svc.cluster.local' };

const sorted = (join: string): string => join.split(',').sort().join(',');

/** A violated invariant. */
class Violation extends Error {}

/** State that the rules change. */
export class EtcdModel {
  wanted: number;
  replicas: number;
  members: ModelMember[];
  readonly pods = new Map<number, ModelPod>();
  readonly disks = new Map<number, Disk>();
  readonly removed = new Set<string>();
  leader: string | undefined;
  /** Number of acknowledged entries. */
  acknowledged = 10;
  /** Time, in milliseconds. */
  now = 0;
  #ids = 0;

  constructor(members: number) {
    this.wanted = members;
    this.replicas = members;
    this.members = Array.from({ length: members }, (_, ordinal) => ({
      ...{ id: this.#id(), ordinal, isLearner: false, hasStarted: true },
    }));
    for (const { id, ordinal } of this.members)
      this.disks.set(ordinal, {
        owner: id,
        index: 10,
        isAnnotated: true,
        isBound: true,
        isTerminating: false,
      });
    this.settle();
  }

  #id(): string {
    this.#ids += 1;
    return (this.#ids + 0xa0).toString(16);
  }

  voters(): readonly ModelMember[] {
    return this.members.filter(({ isLearner }) => !isLearner);
  }

  /** Whether the member runs with its own data, and follows the leader. */
  runs({ id, ordinal }: ModelMember): boolean {
    const disk = this.disks.get(ordinal);
    const runs = this.pods.get(ordinal)?.isRunning === true;
    return runs && disk?.owner === id && disk.defect === undefined;
  }

  hasQuorum(): boolean {
    const voters = this.voters();
    return voters.filter((member) => this.runs(member)).length >= majorityOf(voters.length);
  }

  /** Lets the controllers of Kubernetes and etcd itself react to the present state. */
  settle(): void {
    for (const ordinal of [...this.pods.keys()])
      if (ordinal >= this.replicas) this.pods.delete(ordinal);
    for (const [ordinal, { isTerminating }] of [...this.disks])
      if (isTerminating && !this.pods.has(ordinal)) this.disks.delete(ordinal);
    for (let ordinal = 0; ordinal < this.replicas; ordinal += 1) {
      if (!this.disks.has(ordinal))
        this.disks.set(ordinal, {
          index: 0,
          isAnnotated: false,
          isBound: false,
          isTerminating: false,
        });
      if (!this.pods.has(ordinal))
        this.pods.set(ordinal, {
          ...{ uid: (this.#ids += 1), join: '', isRunning: false, failures: 0, isScheduled: true },
          downSince: this.now,
        });
      this.#start(ordinal);
    }
    this.#elect();
  }

  #start(ordinal: number): void {
    const pod = this.pods.get(ordinal);
    const disk = this.disks.get(ordinal);
    if (pod === undefined || disk === undefined) return;
    this.#run(ordinal, pod, disk);
    if (pod.isRunning && disk.defect === undefined) delete pod.downSince;
    else pod.downSince ??= this.now;
  }

  #run(ordinal: number, pod: ModelPod, disk: Disk): void {
    const isAway = disk.defect === 'nodeLost' || disk.defect === 'nodeUnready';
    if (isAway || !pod.isScheduled || pod.isRunning) return;
    if (disk.defect === 'corrupt') {
      pod.failures += 1;
      return;
    }
    disk.isBound = true;
    if (disk.owner === undefined && !this.#joins(ordinal, pod, disk)) {
      pod.failures += 1;
      return;
    }
    const isRemoved = this.removed.has(disk.owner ?? '');
    pod.isRunning = !isRemoved;
    if (isRemoved) pod.failures += 1;
  }

  #joins(ordinal: number, { join }: ModelPod, disk: Disk): boolean {
    if (join === '' || !this.hasQuorum()) return false;
    const member = this.members.find((one) => one.ordinal === ordinal);
    const others = this.members.filter((one) => one !== member);
    const list = others.map(
      (one) => `,${podName(NAMES, one.ordinal)}=${peerURL(NAMES, one.ordinal)}`,
    );
    // etcd compares the lists without their order.
    if (member === undefined || sorted(list.join('')) !== sorted(join)) return false;
    if (member.hasStarted) throw new Violation(`member ${member.id} starts again without its data`);
    disk.owner = member.id;
    member.hasStarted = true;
    return true;
  }

  #elect(): void {
    if (!this.hasQuorum()) {
      this.leader = undefined;
      return;
    }
    const able = this.voters().filter((member) => this.runs(member));
    if (able.some(({ id }) => id === this.leader)) return;
    const [best] = [...able].sort((a, b) => this.index(b) - this.index(a));
    this.leader = best?.id;
  }

  index({ ordinal }: ModelMember): number {
    return this.disks.get(ordinal)?.index ?? 0;
  }

  /** A client writes: acknowledged when a majority of the voters has the entry. */
  write(lagging: ReadonlySet<number>): void {
    this.#elect();
    const leader = this.members.find(({ id }) => id === this.leader);
    if (leader === undefined) return;
    if (this.index(leader) < this.acknowledged)
      throw new Violation('the leader lacks acknowledged entries');
    const next = this.index(leader) + 1000;
    const reached = this.members.filter(
      (member) => this.runs(member) && (member === leader || !lagging.has(member.ordinal)),
    );
    for (const { ordinal } of reached) {
      const disk = this.disks.get(ordinal);
      if (disk) disk.index = next;
    }
    const voters = reached.filter(({ isLearner }) => !isLearner).length;
    if (voters >= majorityOf(this.voters().length)) this.acknowledged = next;
  }

  /** Executes one step as etcd and Kubernetes would. */
  execute(step: MemberStep): void {
    const before = this.hasQuorum();
    this.#apply(step);
    if (before && !this.hasQuorum()) throw new Violation(`${step.kind} ended the quorum`);
    this.settle();
  }

  /** A change of the members is an entry of the log. The fewest voters that form a quorum have all entries then. */
  #commit(): void {
    const leader = this.members.find(({ id }) => id === this.leader);
    if (leader === undefined) throw new Violation('the members change without a leader');
    if (this.index(leader) < this.acknowledged)
      throw new Violation('the leader lacks acknowledged entries');
    const followers = this.voters().filter((voter) => voter !== leader && this.runs(voter));
    const ahead = [...followers].sort((a, b) => this.index(b) - this.index(a));
    const next = this.index(leader) + 1;
    const enough = [leader, ...ahead].slice(0, majorityOf(this.voters().length));
    for (const { ordinal } of enough) this.#diskOf(ordinal).index = next;
    this.acknowledged = next;
  }

  #apply(step: MemberStep): void {
    if (['addLearner', 'promote', 'removeMember'].includes(step.kind)) this.#commit();
    const apply = this.#executors[step.kind] as ((step: MemberStep) => void) | undefined;
    apply?.(step);
  }

  readonly #executors: {
    readonly [K in MemberStep['kind']]?: (step: Extract<MemberStep, { kind: K }>) => void;
  } = {
    scale: ({ replicas }) => {
      const isFewer = replicas < this.replicas;
      if (isFewer && this.members.some(({ ordinal }) => ordinal >= replicas))
        throw new Violation('the Pod of a member is deleted');
      this.replicas = replicas;
    },
    addLearner: ({ pod: { ordinal } }) => {
      if (this.members.some(({ isLearner }) => isLearner)) throw new Violation('two learners');
      this.members.push({ id: this.#id(), ordinal, isLearner: true, hasStarted: false });
    },
    allowJoin: ({ pod, join }) => {
      this.#podOf(pod.ordinal).join = join;
      this.#diskOf(pod.ordinal).isAnnotated = true;
    },
    endJoin: ({ pod }) => {
      this.#podOf(pod.ordinal).join = '';
    },
    promote: ({ memberId }) => {
      for (const member of this.members) if (member.id === memberId) member.isLearner = false;
    },
    moveLeader: ({ to }) => {
      const next = this.members.find(({ id }) => id === to);
      const leader = this.members.find(({ id }) => id === this.leader);
      if (next === undefined || leader === undefined || !this.runs(next)) return;
      // Raft hands over only to a member that has all entries.
      this.#diskOf(next.ordinal).index = this.index(leader);
      this.leader = to;
    },
    removeMember: ({ memberId }) => {
      if (this.leader === memberId) throw new Violation('the leader is removed');
      this.#requireReason(memberId);
      this.members = this.members.filter(({ id }) => id !== memberId);
      this.removed.add(memberId);
      this.#stopRemoved();
    },
    recreate: ({ pod, claim }) => {
      this.#leave(pod.ordinal);
      if (claim) this.#wipe(claim.ordinal);
    },
    deleteClaim: ({ claim }) => this.#wipe(claim.ordinal),
  };

  /** A desired voter leaves only without its data, or when it could not return in the grace period. */
  #requireReason(id: string): void {
    const member = this.voters().find((one) => one.id === id);
    if (member === undefined || member.ordinal >= this.wanted) return;
    const disk = this.disks.get(member.ordinal);
    if (disk?.owner !== id) return;
    const isLasting = disk.defect !== undefined && disk.defect !== 'nodeUnready';
    if (!isLasting) throw new Violation(`member ${id} is removed although it may return`);
    const { downSince = Infinity } = this.pods.get(member.ordinal) ?? {};
    if (this.now - downSince < GRACE_MS)
      throw new Violation(`member ${id} is removed within the grace period`);
  }

  #stopRemoved(): void {
    for (const [ordinal, pod] of this.pods)
      if (this.removed.has(this.disks.get(ordinal)?.owner ?? '')) pod.isRunning = false;
  }

  #wipe(ordinal: number): void {
    const disk = this.#diskOf(ordinal);
    if (this.members.some(({ id }) => id === disk.owner))
      throw new Violation('data of a member is deleted');
    disk.isTerminating = true;
  }

  #leave(ordinal: number): void {
    if (this.members.some((member) => member.ordinal === ordinal))
      throw new Violation('the Pod of a member is deleted');
    this.pods.delete(ordinal);
  }

  #podOf(ordinal: number): ModelPod {
    const pod = this.pods.get(ordinal);
    if (pod === undefined) throw new Violation(`no Pod ${String(ordinal)}`);
    return pod;
  }

  #diskOf(ordinal: number): Disk {
    const disk = this.disks.get(ordinal);
    if (disk === undefined) throw new Violation(`no disk ${String(ordinal)}`);
    return disk;
  }

  /** Deletes Pod and volume of an ordinal, as a lost node or a user would. */
  lose(ordinal: number): void {
    this.pods.delete(ordinal);
    this.disks.delete(ordinal);
    this.settle();
  }

  /** The node of an ordinal is lost or not ready, its data is corrupt, or it lags forever. */
  damage(ordinal: number, defect: NonNullable<Disk['defect']>): void {
    const disk = this.disks.get(ordinal);
    const pod = this.pods.get(ordinal);
    if (disk?.owner === undefined || disk.defect !== undefined || pod === undefined) return;
    if (defect === 'behind' && !pod.isRunning) return;
    disk.defect = defect;
    if (defect === 'nodeLost') this.pods.delete(ordinal);
    if (defect !== 'behind') pod.isRunning = false;
    this.settle();
  }

  /** The node of an ordinal returns, or its member receives the entries that it lacks. */
  recover(ordinal: number): void {
    const disk = this.disks.get(ordinal);
    if (disk === undefined || disk.defect === 'corrupt') return;
    delete disk.defect;
    this.settle();
  }

  restart(ordinal: number): void {
    this.pods.delete(ordinal);
    this.settle();
  }
}
