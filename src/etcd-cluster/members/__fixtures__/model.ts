/**
 * Model of an etcd, its Pods and its volumes, for the test of the membership rules. It follows the documented behaviour
 * of etcd: a member without data that may join takes over the ID of its listed peer URL, a member with data ignores its
 * flags, and a removed member does not start.
 */
import { majorityOf } from '../../../etcd/view.ts';
import type { MemberStep } from '../step.ts';
import { commit, requireReason } from './model-log.ts';
import {
  joinFor,
  newDisk,
  newPod,
  sorted,
  Violation,
  type Disk,
  type ModelMember,
  type ModelPod,
  type ModelState,
} from './model-objects.ts';

/** State that the rules change. */
export class EtcdModel implements ModelState {
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
      id: this.#id(),
      ordinal,
      isLearner: false,
      hasStarted: true,
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
      if (!this.disks.has(ordinal)) this.disks.set(ordinal, newDisk());
      if (!this.pods.has(ordinal)) this.pods.set(ordinal, newPod((this.#ids += 1), this.now));
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
    // etcd compares the lists without their order.
    if (member === undefined || joinFor(this.members, member) !== sorted(join)) return false;
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

  #apply(step: MemberStep): void {
    if (['addLearner', 'promote', 'removeMember'].includes(step.kind)) commit(this);
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
      requireReason(this, memberId);
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
}
