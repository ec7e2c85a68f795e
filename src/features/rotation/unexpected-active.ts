/** Active roots that the record does not explain, because a user has restored some of the Secrets: pure. */
import type { AuthorityFacts } from './facts.ts';
import { titleOf } from './phase-text.ts';
import type { Rotation, RotationRecord } from './record.ts';
import { confirmationOf, shortHash } from './requests.ts';
import { hold, type RotationHold } from './step.ts';

interface Input {
  readonly rotation: Rotation;
  readonly record: RotationRecord;
  readonly facts: AuthorityFacts;
}

const RESTORE = 'restore all certificate Secrets from the backup that this Secret is from';

/** Returns why the operator writes nothing until a user restores the other Secrets too. */
export function unexpectedActive(input: Input): RotationHold | undefined {
  const { rotation, record, facts } = input;
  const { from, to, returns } = rotation;
  const [title, active] = [titleOf(rotation), shortHash(facts.active.sha256)];
  if (![from, to].includes(facts.active.sha256))
    return hold(
      'ActiveAuthorityUnknown',
      `${title}: ${active} signs, which the record of the rotation in Secret ${facts.backup.name} does not name; ${RESTORE}`,
    );
  const [used] = facts.secrets;
  if (used === undefined || !isRevived(input)) return undefined;
  const end = returns
    ? ''
    : `, or annotate the Karmada with ${confirmationOf('abort', rotation, record)}`;
  return hold(
    'ActiveAuthorityUnknown',
    `${title}: ${active} signs, and Secret ${used.name} no longer trusts ${shortHash(from)}, which would sign again in this phase of the record in Secret ${facts.backup.name}; ${RESTORE}${end}`,
  );
}

/** Whether the former root would sign again although the Secret in use no longer trusts it. */
const isRevived = ({ rotation: { phase, from, to }, facts }: Input): boolean =>
  phase === 'Preparing' &&
  facts.active.sha256 === to &&
  facts.secrets[0]?.bundle?.includes(from) === false;
