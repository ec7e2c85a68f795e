/** Texts about one rotation: pure. */
import type { AuthorityFacts } from './facts.ts';
import type { Rotation, RotationRecord } from './record.ts';
import { confirmationOf, shortHash } from './requests.ts';
import type { OverlapRest } from './rules.ts';
import { hold, type RotationHold } from './step.ts';

/** Object of messages, such as `ca (0123456789abcdef to fedcba9876543210)`. */
export const titleOf = ({ authority, from, to }: Rotation): string =>
  `${authority} (${shortHash(from)} to ${shortHash(to)})`;

interface OverlapInput {
  readonly rotation: Rotation;
  readonly record: RotationRecord;
  readonly facts: Pick<AuthorityFacts, 'agents'>;
}

/** Agents that a user must not forget. */
const agentsText = ({ agents = [] }: OverlapInput['facts']): string =>
  agents.length === 0
    ? ''
    : `the agents of the member clusters ${listed(agents)} need certificates of the new root first; `;

/** Why the overlap is not over. */
export function overlapHold(
  { rotation, record: all, facts }: OverlapInput,
  rest: OverlapRest,
): RotationHold {
  const title = titleOf(rotation);
  const confirm = `annotate the Karmada with ${confirmationOf('complete', rotation, all)}`;
  if (rest.kind === 'time')
    return hold('Overlap', `${title}: lasts until ${new Date(rest.until).toISOString()}`, {
      dueAt: rest.until,
    });
  return hold(
    'ConfirmationRequired',
    `${title}: ${agentsText(facts)}to end the trust in the former root, ${confirm}`,
  );
}

/** Names in messages and in the status at most. */
export const MAX_NAMES = 10;

/** Joins up to ten names. */
export const listed = (names: readonly string[]): string => {
  const shown = names.slice(0, MAX_NAMES).join(', ');
  const more = names.length - MAX_NAMES;
  return more > 0 ? `${shown} and ${String(more)} more` : shown;
};
