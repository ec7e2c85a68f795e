/**
 * Rules of a rotation: what must be so before each change. They are one value, so that the model test breaks each of
 * them and must find the consequence.
 */
import { optionalField } from '../../kubernetes/objects/records.ts';
import { keyStateOf, writesOf } from './content.ts';
import type { AuthorityFacts, RootFacts, RotationPolicy } from './facts.ts';
import { objectLacks, publicationLacks, stampLacks } from './object-proofs.ts';
import { refusalLacks, trustLacks, useLacks, type Lack, type ProofInput } from './proofs.ts';
import { publicationOf, type Rotation, type RotationRecord } from './record.ts';
import type { RotationWrite } from './step.ts';

/** What a rule considers. */
export interface RuleInput {
  readonly rotation: Rotation;
  readonly facts: AuthorityFacts;
  readonly record: RotationRecord;
  readonly policy: RotationPolicy;
  readonly now: number;
  readonly monotonic: number;
}

/** Why the overlap is not over. */
export type OverlapRest =
  { readonly kind: 'unconfirmed' } | { readonly kind: 'time'; readonly until: number };

export interface RotationRules {
  /** Writes that lead to the content of the phase. */
  readonly writes: (rotation: Rotation, facts: AuthorityFacts) => readonly RotationWrite[];
  /** T: what is lacking before the new root signs. */
  readonly trusted: (input: RuleInput) => readonly Lack[];
  /** U: what is lacking before the former root is given up. @param root what must be in use */
  readonly used: (input: RuleInput, root: string) => readonly Lack[];
  /** Why the former root must stay trusted. */
  readonly overlap: (input: RuleInput) => OverlapRest | undefined;
  /** R, Pods: what is lacking before the shared ConfigMap is edited and before the rotation ends. */
  readonly refused: (input: RuleInput) => readonly Lack[];
  /** R, objects. */
  readonly unnamed: (input: RuleInput) => readonly Lack[];
  /** Whether a successor can sign until another one takes its place. @param overlapEnd end of an overlap that starts now */
  readonly isFit: (successor: RootFacts, active: RootFacts, overlapEnd: number) => boolean;
}

/** When all Secrets had the new root. @returns nothing if they never were without it */
function publishedAt({ rotation, facts, record }: RuleInput): { readonly writtenAt?: number } {
  const known = publicationOf(record, rotation);
  if (known === undefined && facts.sinceCreation.includes(rotation.to)) return {};
  const at = known?.at ?? rotation.writtenAt;
  return at === undefined ? {} : { writtenAt: at };
}

const proofOf = ({ rotation, facts, now, monotonic }: RuleInput): ProofInput => ({
  ...{ facts, now, monotonic },
  ...optionalField('writtenAt', rotation.writtenAt),
  ...optionalField('sameUntil', rotation.switchedAt),
  ...optionalField('isUsed', rotation.used),
});

function overlapRest({ rotation, policy, now }: RuleInput): OverlapRest | undefined {
  const { authority, since, completion } = rotation;
  if (completion === 'confirmed') return undefined;
  if (completion === 'awaited' || policy.completion[authority] === 'Confirm')
    return { kind: 'unconfirmed' };
  const until = since + policy.overlapMs[authority];
  return now < until ? { kind: 'time', until } : undefined;
}

export const RULES: RotationRules = {
  writes: writesOf,
  trusted: (input) => {
    const { facts, now, monotonic, policy } = input;
    const isKeyless = keyStateOf(input.rotation, facts) !== 'stored';
    const clock = { now, monotonic, keysMs: policy.keysMs };
    const proof = { facts, ...clock, isKeyless, ...publishedAt(input) };
    return [...trustLacks(proof, input.rotation.to), ...publicationLacks(proof, input.rotation.to)];
  },
  used: (input, root) => [
    ...useLacks(proofOf(input), root),
    // After the overlap nothing trusts the former root any more.
    ...(input.rotation.phase === 'Overlap' ? stampLacks(proofOf(input), input.rotation.from) : []),
  ],
  overlap: overlapRest,
  refused: (input) =>
    refusalLacks(proofOf(input), { former: input.rotation.from, active: input.rotation.to }),
  unnamed: (input) => objectLacks(proofOf(input), input.rotation.from),
  isFit: ({ notAfter }, active, overlapEnd) => notAfter >= active.notAfter && notAfter > overlapEnd,
};
