/** Decides about the adoption of a control plane of the Go operator. Pure functions. */
import type { Condition, Karmada } from '../../api/karmada.ts';
import { ADOPTION_ANNOTATION } from '../../features/adoption/decide-adoption.ts';
import { CommandError } from '../program/environment.ts';
import { refuseDeleted, type Decision } from './change-karmada.ts';

/** Value that confirms the adoption. */
const AUTOMATIC = 'Automatic';

/** Reasons of the condition `Adopted` that a confirmation answers. */
const CONFIRMABLE: ReadonlySet<string> = new Set(['AdoptionPending', 'AdoptionDisabled']);

/** Returns what the adoption would do, as the operator reports it; undefined if nothing is to be adopted. */
export function adoptionText({ metadata, status }: Karmada): string | undefined {
  const found = adopted(status?.conditions);
  const name = `${metadata.namespace ?? ''}/${metadata.name}`;
  return found && `Karmada ${name}: ${found.reason}: ${found.message}`;
}

/**
 * Sets the annotation that confirms the adoption.
 * @throws CommandError if nothing is to be adopted, or something else prevents the adoption
 */
export function adoptDecision(karmada: Karmada): Decision {
  refuseDeleted(karmada);
  const { metadata, status } = karmada;
  const found = adopted(status?.conditions);
  const isConfirmed = metadata.annotations?.[ADOPTION_ANNOTATION] === AUTOMATIC;
  if (found !== undefined && !CONFIRMABLE.has(found.reason))
    throw new CommandError(`${found.reason}: ${found.message}`);
  if (isConfirmed) return { done: 'already confirmed for adoption' };
  if (found === undefined)
    throw new CommandError(
      'nothing to adopt: the operator reports the condition Adopted for a control plane that the Go operator created',
    );
  const annotations = { [ADOPTION_ANNOTATION]: AUTOMATIC };
  return { patch: { metadata: { annotations } }, done: 'confirmed for adoption' };
}

const adopted = (conditions: readonly Condition[] = []): Condition | undefined =>
  conditions.find(({ type, status }) => type === 'Adopted' && status !== 'True');
