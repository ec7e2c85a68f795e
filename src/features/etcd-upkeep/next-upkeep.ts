/**
 * Decides how the databases of a local etcd are maintained: pure. One call to one member at a time, from facts only.
 * A member responds to nothing while it is defragmented, so all members must be healthy, and the leader is the last.
 */
import {
  databaseSize,
  isAlmostFull,
  isFragmented,
  isShrinkable,
  type DatabaseSize,
} from '../../etcd/database-size.ts';
import type { EtcdMemberStatus } from '../../etcd/member-status.ts';
import type { UpkeepFacts } from './facts.ts';

/** Shortest time between two defragmentations of one member, in milliseconds. */
export const DEFRAGMENT_EVERY_MS = 3_600_000;

/** The same while etcd rejects writes. */
export const RETRY_FULL_MS = 60_000;

export type UpkeepStep =
  | { readonly kind: 'none' }
  /** Release the free space of one member. */
  | {
      readonly kind: 'defragment';
      readonly pod: string;
      readonly memberId: string;
      readonly size: bigint;
    }
  /** Remove the history before a revision, because the API servers cannot while etcd rejects writes. */
  | { readonly kind: 'compact'; readonly pod: string; readonly revision: string }
  /** Disarm the alarm NOSPACE of these members. */
  | { readonly kind: 'disarm'; readonly pod: string; readonly memberIds: readonly string[] };

const NONE: UpkeepStep = { kind: 'none' };

/** A member with the size of its database. */
interface Member {
  readonly answer: EtcdMemberStatus;
  readonly database: DatabaseSize;
}

/** Returns the next step. Nothing is done unless all members are healthy and nothing else changes. */
export function nextUpkeep(facts: UpkeepFacts): UpkeepStep {
  const { leader } = facts.view;
  if (!facts.isEnabled || !facts.isSettled || leader === undefined || !isWhole(facts)) return NONE;
  const members = membersOf(facts, leader);
  const alarms = members.flatMap(({ answer }) => answer.alarms);
  if (alarms.some(({ alarm }) => alarm !== 'NOSPACE')) return NONE;
  const full = [...new Set(alarms.map(({ memberId }) => memberId))].sort();
  if (full.length > 0) return ofFull(facts, { members, leader, full });
  return facts.isUpgrading ? NONE : defragment(members.filter(isDue(facts)));
}

/** Whether every member responds as a healthy voter of one cluster. */
function isWhole({ view, members }: UpkeepFacts): boolean {
  const { answers, silent, unasked, learners, serving, splitBrain } = view;
  return (
    splitBrain === undefined &&
    silent.length + unasked.length + learners.length === 0 &&
    [answers.length, view.members.length, serving.length].every((count) => count === members)
  );
}

/** Members by name, the leader last. */
function membersOf({ view, quota }: UpkeepFacts, leader: string): readonly Member[] {
  const leads = ({ pod }: EtcdMemberStatus): number => (pod === leader ? 1 : 0);
  return [...view.answers]
    .sort((a, b) => leads(a) - leads(b) || (a.pod < b.pod ? -1 : 1))
    .map((answer) => ({ answer, database: databaseSize(answer, quota) }));
}

/** The only member interrupts the control plane, so it must be worth it. */
const isDue =
  (facts: UpkeepFacts) =>
  ({ answer, database }: Member): boolean =>
    (isShrinkable(database) || (facts.members > 1 && isFragmented(database))) &&
    isRested(facts, answer, DEFRAGMENT_EVERY_MS);

function isRested(
  { defragmentedAt, now }: UpkeepFacts,
  { memberId }: EtcdMemberStatus,
  ms: number,
): boolean {
  const last = defragmentedAt.get(memberId);
  // A clock that was set back must not delay the next attempt for longer.
  return last === undefined || Math.abs(now - last) >= ms;
}

const defragment = ([first]: readonly Member[]): UpkeepStep =>
  first === undefined
    ? NONE
    : {
        kind: 'defragment',
        pod: first.answer.pod,
        memberId: first.answer.memberId,
        size: first.database.size,
      };

interface Full {
  readonly members: readonly Member[];
  /** Pod of the leader. */
  readonly leader: string;
  /** IDs of the members that raised the alarm. */
  readonly full: readonly string[];
}

/** Frees space, then disarms the alarm. It stays armed while a database uses most of its quota. */
function ofFull(facts: UpkeepFacts, { members, leader, full }: Full): UpkeepStep {
  if (!members.some(({ database }) => isAlmostFull(database)))
    return { kind: 'disarm', pod: leader, memberIds: full };
  const revision = members.find(({ answer }) => answer.pod === leader)?.answer.revision;
  const isCompacted = revision === facts.compacted?.revision;
  const shrinkable = members.filter(
    (member) => isShrinkable(member.database) || (isCompacted && isUntried(facts, member)),
  );
  if (shrinkable.length > 0)
    return defragment(shrinkable.filter(({ answer }) => isRested(facts, answer, RETRY_FULL_MS)));
  return revision === undefined || isCompacted ? NONE : { kind: 'compact', pod: leader, revision };
}

/**
 * Whether a member was not defragmented since the compaction. It may not report the space as free: the database counts
 * the pages of its last transaction as used until the next one, and there is none while etcd rejects writes.
 */
function isUntried(
  { compacted, defragmentedAt }: UpkeepFacts,
  { answer, database }: Member,
): boolean {
  const last = defragmentedAt.get(answer.memberId) ?? -Infinity;
  return isAlmostFull(database) && last < (compacted?.at ?? 0);
}

/**
 * Returns the time until a member may be defragmented again that needs it now, in milliseconds; Infinity if there is
 * none. No event signals that time.
 */
export function msUntilUpkeep(facts: UpkeepFacts): number {
  if (!facts.isEnabled || facts.defragmentedAt.size === 0) return Infinity;
  const every = facts.view.answers.some(({ alarms }) => alarms.length > 0)
    ? RETRY_FULL_MS
    : DEFRAGMENT_EVERY_MS;
  const left = facts.view.answers
    .filter((answer) => {
      const database = databaseSize(answer, facts.quota);
      return isShrinkable(database) || isFragmented(database);
    })
    .flatMap(({ memberId }) => facts.defragmentedAt.get(memberId) ?? [])
    .map((last) => last + every - facts.now)
    .filter((ms) => ms > 0);
  return left.reduce((least, ms) => Math.min(least, ms), Infinity);
}
