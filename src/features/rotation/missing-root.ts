/** Keys and certificates without which the Secrets cannot have the content of a phase: pure. */
import { contentOf, keyStateOf } from './content.ts';
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

/** Returns why the rotation waits until a user restores a Secret. */
export function missingRoot(input: Input): RotationHold | undefined {
  const { rotation, record } = input;
  const what = missingKey(input) ?? missingCertificate(input);
  if (what === undefined) return undefined;
  const isAbortable = rotation.phase === 'Preparing' && !rotation.returns;
  const abort = isAbortable
    ? `, or annotate the Karmada with ${confirmationOf('abort', rotation, record)}`
    : '';
  return hold('RotationKeyMissing', `${titleOf(rotation)}: ${placeOf(input, what)}${abort}`);
}

/** Where something is missing, and what to do. Before all Secrets have the certificate of a custom CA, only its own Secret does. */
function placeOf({ rotation, facts }: Input, what: string): string {
  const { secret } = facts.custom ?? {};
  const isGiven = rotation.custom === true && rotation.phase === 'Preparing';
  return isGiven && secret !== undefined && facts.known?.includes(rotation.to) === false
    ? `Secret ${secret} no longer has the certificate of ${shortHash(rotation.to)}; store it in tls.crt again`
    : `Secret ${facts.backup.name} has no ${what}; restore the Secret from a backup`;
}

/** The roots that sign in this phase and in those that an abort returns to need their keys. */
function missingKey({ rotation, facts }: Input): string | undefined {
  const { phase, from, to, returns } = rotation;
  const isStored = keyStateOf(rotation, facts) === 'stored';
  const both = isStored ? [from, to] : [from];
  const needed = returns ? [from] : phase === 'Preparing' ? both : [to];
  const missing = needed.find((root) => !facts.backup.keys.includes(root));
  return missing && `private key of ${shortHash(missing)}`;
}

/** After an abort of the last phase, only the CA backup Secret has the certificate or the public key of the former root. */
function missingCertificate({ rotation, facts }: Input): string | undefined {
  const { known } = facts;
  const missing = known && contentOf(rotation).bundle.find((root) => !known.includes(root));
  return missing && `certificate or public key of ${shortHash(missing)}`;
}
