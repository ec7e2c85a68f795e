/**
 * Manages the access to the member clusters of one control plane in the background. Therefore an unreachable
 * member cluster delays neither a reconcile nor another member cluster. The next reconcile reads the results.
 * The state is in memory only: after a restart the operator repeats reads, but no writes.
 */
import type { Problem } from '../api/reasons/problem.ts';
import { CLUSTER_LABEL } from '../components/karmada-scheduler-estimator/karmada-scheduler-estimator.ts';
import { backoffMs, type Random } from '../kubernetes/time/clock.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { errorText } from '../kubernetes/client/errors.ts';
import { sha256 } from '../kubernetes/objects/intent.ts';
import type { Secret } from '../kubernetes/objects/kinds.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { hashSecretValues } from '../kubernetes/objects/cache-transform.ts';
import { memberProblem } from './failure.ts';
import type { MemberCluster } from './member-cluster.ts';
import {
  ensureMemberAccess,
  removeMemberAccess,
  type InstanceOwner,
  type TaskTools,
} from './access-tasks.ts';

export interface MemberAccessOptions extends Omit<TaskTools, 'signal'> {
  readonly random: Random;
  /** Requests a reconcile. */
  readonly onChange: () => void;
}

/** Member cluster that gets an estimator. */
export interface DesiredMember {
  readonly member: MemberCluster;
  /** Version of its credentials in the control plane. */
  readonly credentials: string;
  /** Cached Secret that the operator created from these credentials. */
  readonly secret?: Secret;
}

/** Desired state of the access to member clusters. */
export interface DesiredMemberAccess {
  readonly owner: InstanceOwner;
  /** Client of the control plane, which contains the credentials of the member clusters. */
  readonly controlPlane?: KubernetesClient;
  readonly wanted: readonly DesiredMember[];
  /** Secrets of member clusters that no longer get an estimator. */
  readonly leaving: readonly KubernetesObject[];
}

/** Task for one member cluster: inputs and result. */
interface Work {
  running: boolean;
  /** Inputs of the last attempt. */
  inputs: string;
  /** Hash of the written data as in the cache, and time of the write in monotonic milliseconds. */
  written?: { readonly hash: string; readonly at: number };
  failures: number;
  /** Earliest time of the next attempt with the same inputs, in monotonic milliseconds. */
  next: number;
  /** Time of the first of the consecutive failed attempts, in monotonic milliseconds. */
  since?: number;
  problem?: Problem;
  note?: string;
}

/** Maximum number of member clusters processed in parallel. */
const LIMIT = 8;
const BACKOFF = { base: 2_000, max: 120_000 };
/** Interval after which the operator checks the objects in a member cluster again. */
const AGAIN_MS = 600_000;
/** Time by which the cache may lag behind a write. */
const GRACE_MS = 3_000;
/** Time after which the operator stops waiting for an unreachable member cluster that was removed. */
const LET_GO_MS = 60_000;

type Action = (work: Work, now: number) => Promise<void>;

export class MemberAccessManager {
  readonly #options: MemberAccessOptions;
  readonly #closing = new AbortController();
  readonly #work = new Map<string, Work>();
  readonly #tasks = new Set<Promise<void>>();
  readonly #timers = new Set<() => void>();
  /** Whether a task has to wait because of the limit. */
  #crowded = false;

  constructor(options: MemberAccessOptions) {
    this.#options = options;
  }

  /** Returns why there is no access to a member cluster. */
  problemOf(member: string): Problem | undefined {
    return this.#work.get(member)?.problem;
  }

  /** Returns a note about a member cluster with working access. */
  noteOf(member: string): string | undefined {
    return this.#work.get(member)?.note;
  }

  /** Starts all due tasks and returns immediately. */
  sync(desiredState: DesiredMemberAccess): void {
    this.#crowded = false;
    const { wanted, leaving } = desiredState;
    const names = new Set([...wanted.map(({ member }) => member.name), ...leaving.map(clusterOf)]);
    for (const [name, { running }] of this.#work)
      if (!names.has(name) && !running) this.#work.delete(name);
    for (const item of wanted) this.#syncWanted(desiredState, item);
    for (const secret of leaving) this.#syncLeaving(desiredState, secret);
  }

  /** Cancels all tasks and waits for their end. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('access to member clusters is closed'));
    for (const cancel of this.#timers) cancel();
    await Promise.all(this.#tasks);
  }

  #syncWanted({ owner, controlPlane }: DesiredMemberAccess, item: DesiredMember): void {
    const { member, credentials, secret } = item;
    if (controlPlane === undefined) return;
    const work = this.#workOf(member.name);
    const inputs = JSON.stringify([member, credentials]);
    if (!this.#isDue(work, inputs) && !this.#isTampered(work, secret)) return;
    this.#begin(member.name, inputs, async () => {
      const result = await ensureMemberAccess(this.#tools, { owner, controlPlane, member });
      work.written = { hash: dataHash(result.secret), at: this.#options.clock.monotonic() };
      if (result.note === undefined) delete work.note;
      else work.note = result.note;
    });
  }

  #syncLeaving({ owner }: DesiredMemberAccess, secret: Secret): void {
    const name = clusterOf(secret);
    const work = this.#workOf(name);
    const inputs = `leaving ${secret.metadata.uid ?? ''}`;
    if (!this.#isDue(work, inputs)) return;
    this.#begin(name, inputs, ({ since }, now) =>
      removeMemberAccess(this.#tools, owner, secret, now - (since ?? now) >= LET_GO_MS),
    );
  }

  #workOf(name: string): Work {
    const known = this.#work.get(name);
    if (known !== undefined) return known;
    const work: Work = { running: false, inputs: '', failures: 0, next: 0 };
    this.#work.set(name, work);
    return work;
  }

  #isDue({ inputs, next }: Work, now: string): boolean {
    return inputs !== now || this.#options.clock.monotonic() >= next;
  }

  /** Returns whether the Secret differs from what the operator wrote. */
  #isTampered({ written, problem }: Work, secret: Secret | undefined): boolean {
    if (written === undefined || problem !== undefined) return false;
    if (this.#options.clock.monotonic() - written.at < GRACE_MS) return false;
    return secret === undefined || dataHash(secret) !== written.hash;
  }

  #begin(name: string, inputs: string, action: Action): void {
    const work = this.#workOf(name);
    if (this.#closing.signal.aborted || work.running) return;
    if (this.#tasks.size >= LIMIT) {
      this.#crowded = true;
      return;
    }
    if (work.inputs !== inputs) {
      work.failures = 0;
      delete work.since;
    }
    work.running = true;
    work.inputs = inputs;
    const task = this.#attempt(name, work, action).finally(() => this.#tasks.delete(task));
    this.#tasks.add(task);
  }

  async #attempt(name: string, work: Work, action: Action): Promise<void> {
    const { clock } = this.#options;
    const before = JSON.stringify([work.problem, work.note]);
    try {
      await action(work, clock.monotonic());
      work.failures = 0;
      delete work.problem;
      delete work.since;
      work.next = clock.monotonic() + AGAIN_MS;
    } catch (error) {
      this.#failed(name, work, error);
    } finally {
      work.running = false;
    }
    const news = before !== JSON.stringify([work.problem, work.note]);
    if (news || this.#crowded) this.#after(0);
  }

  #failed(name: string, work: Work, error: unknown): void {
    if (this.#closing.signal.aborted) return;
    const { clock, random, log } = this.#options;
    const pause = backoffMs(work.failures, BACKOFF, random);
    work.failures += 1;
    work.since ??= clock.monotonic();
    work.problem = memberProblem(error);
    work.next = clock.monotonic() + pause;
    log.debug({ member: name, error: errorText(error) }, 'member cluster access attempt failed');
    this.#after(pause);
  }

  #after(ms: number): void {
    if (this.#closing.signal.aborted) return;
    const cancel = this.#options.clock.after(ms, () => {
      this.#timers.delete(cancel);
      this.#options.onChange();
    });
    this.#timers.add(cancel);
  }

  get #tools(): TaskTools {
    return { ...this.#options, signal: this.#closing.signal };
  }
}

const clusterOf = ({ metadata }: KubernetesObject): string =>
  metadata.labels?.[CLUSTER_LABEL] ?? metadata.name;

const dataHash = (secret: Secret): string =>
  sha256(JSON.stringify(Object.entries(hashSecretValues(secret)['data'] ?? {}).sort()));
