/** Executes the annotations that complete or abort a rotation: pure. Each value is executed once. */
import { withExecuted, withRotation, type Rotation, type RotationRecord } from './record.ts';
import type { AuthorityFacts } from './facts.ts';
import { isExecuted, shortHash, type Confirmation, type RotationRequests } from './requests.ts';
import type { RotationStep } from './step.ts';

interface Input {
  readonly authorities: readonly AuthorityFacts[];
  readonly record: RotationRecord;
  readonly requests: RotationRequests;
  readonly now: number;
}

/** What an annotation leads to: a step, or why it has no effect. */
type Confirmed = { readonly step: RotationStep } | { readonly fault: string };

/** Returns the effect of both annotations; an abort comes first. @returns undefined if all were executed */
export function confirmedStep(input: Input): Confirmed | undefined {
  const { record, requests } = input;
  const { abort, complete } = requests;
  const effects = [
    abort && !isExecuted(record, abort) ? aborted(input, abort) : undefined,
    complete && !isExecuted(record, complete) ? completed(record, complete) : undefined,
  ].filter((effect) => effect !== undefined);
  return effects.find((effect) => 'step' in effect) ?? effects[0];
}

const unknown = ({ annotation, authority }: Confirmation, what: string): Confirmed => ({
  fault: `annotation ${annotation}: no rotation of ${authority} is ${what} with this hash; correct the value, or take the annotation off the Karmada`,
});

function aborted({ record, authorities, now }: Input, abort: Confirmation): Confirmed {
  const { authority, hash } = abort;
  const rotation = record.rotations.find(
    (one) => one.authority === authority && one.to.startsWith(hash) && !one.returns,
  );
  if (rotation === undefined) return unknown(abort, 'under way');
  const missing = missingForAbort(
    rotation,
    authorities.find((one) => one.authority === authority),
  );
  if (missing !== undefined) return { fault: `annotation ${abort.annotation}: ${missing}` };
  const next = withRotation(record, authority, ABORTED[rotation.phase](rotation, now));
  const message = `${authority}: the rotation is aborted in ${rotation.phase}`;
  return { step: { kind: 'record', record: withExecuted(next, abort.recorded), message } };
}

/** What an abort needs that the Secrets do not have. The rotation could neither go back nor on afterwards. */
function missingForAbort(
  { phase, from }: Rotation,
  facts: AuthorityFacts | undefined,
): string | undefined {
  if (facts === undefined) return undefined;
  const { backup, known = [from] } = facts;
  const needed =
    phase === 'Switching'
      ? { what: 'private key', among: backup.keys }
      : { what: 'certificate or public key', among: phase === 'Completing' ? known : [from] };
  return needed.among.includes(from)
    ? undefined
    : `Secret ${backup.name} has no ${needed.what} of ${shortHash(from)}; restore the Secret from a backup, or take the annotation off the Karmada`;
}

const restarted = ({ writtenAt: _, ...rotation }: Rotation, now: number): Rotation => ({
  ...rotation,
  since: now,
});

/** What an abort leads to. Until the overlap A has its key; from then on B signs, and A can only be trusted longer. */
const ABORTED: Readonly<
  Record<Rotation['phase'], (rotation: Rotation, now: number) => Rotation | undefined>
> = {
  // Nothing was signed by B.
  Preparing: () => undefined,
  Switching: (rotation, now) => ({
    ...restarted(rotation, now),
    phase: 'Preparing',
    returns: true,
    switchedAt: rotation.since,
  }),
  Overlap: (rotation) => ({ ...rotation, completion: 'awaited' }),
  Completing: (rotation, now) => ({
    ...restarted(rotation, now),
    phase: 'Overlap',
    completion: 'awaited',
  }),
};

function completed(record: RotationRecord, complete: Confirmation): Confirmed {
  const { authority, hash } = complete;
  const rotation = record.rotations.find(
    (one) => one.authority === authority && one.from.startsWith(hash) && one.phase === 'Overlap',
  );
  if (rotation === undefined) return unknown(complete, 'in its overlap');
  const next = withRotation(record, authority, { ...rotation, completion: 'confirmed' });
  const message = `${authority}: a user ends the overlap`;
  return { step: { kind: 'record', record: withExecuted(next, complete.recorded), message } };
}
