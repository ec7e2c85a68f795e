/** The private key of a custom CA, for which a rotation waits: pure. */
import { keyStateOf } from './content.ts';
import type { AuthorityFacts } from './facts.ts';
import { titleOf } from './phase-text.ts';
import type { Rotation, RotationRecord } from './record.ts';
import { confirmationOf, shortHash } from './requests.ts';
import { hold, type RotationHold } from './step.ts';

interface Input {
  readonly rotation: Rotation;
  readonly record: RotationRecord;
  readonly facts: Pick<AuthorityFacts, 'backup' | 'custom'>;
  readonly now: number;
}

/** Nothing signals that the Secret of a user has changed. */
const RETRY_MS = 60_000;

/** Why the new root, which the components trust, cannot sign yet: the user has not stored its private key. */
export function awaitedKey({ rotation, record, facts, now }: Input): RotationHold | undefined {
  if (keyStateOf(rotation, facts) === 'stored') return undefined;
  const { secret, fault } = facts.custom ?? {};
  const cause = fault === undefined ? '' : ` (${fault})`;
  const where = secret === undefined ? 'the Secret of the custom CA' : `Secret ${secret}`;
  const abort = confirmationOf('abort', rotation, record);
  return hold(
    'CustomKeyRequired',
    `${titleOf(rotation)}: the components trust the new CA; store the private key of ${shortHash(rotation.to)} in tls.key of ${where}, and keep its certificate in tls.crt${cause}, or annotate the Karmada with ${abort}`,
    { dueAt: now + RETRY_MS },
  );
}
