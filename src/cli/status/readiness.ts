/** Whether a Karmada is Ready, will be, or needs its user, from its status. Pure functions. */
import type { Condition, Karmada, KarmadaStatus } from '../../api/karmada.ts';

export interface Readiness {
  /** `stalled`: the operator waits for the user, so waiting longer does not help. */
  readonly state: 'ready' | 'waiting' | 'stalled';
  /** One sentence for the user, with the name of the Karmada. */
  readonly text: string;
}

/** Returns the readiness for the latest spec. */
export function readinessOf(karmada: Karmada): Readiness {
  const { name, namespace = '' } = karmada.metadata;
  const { state, text } = stateOf(karmada);
  return { state, text: `Karmada ${namespace}/${name}: ${text}` };
}

function stateOf(karmada: Karmada): Readiness {
  const { metadata, spec, status = {} } = karmada;
  const isObserved = observesLatest(karmada);
  if (metadata.deletionTimestamp !== undefined)
    return { state: 'stalled', text: 'is being deleted' };
  if (isObserved && isTrue(status, 'Ready')) return { state: 'ready', text: 'Ready' };
  if (spec?.suspend === true)
    return { state: 'stalled', text: 'not Ready, and spec.suspend is true; resume it' };
  if (!isObserved) return { state: 'waiting', text: 'the operator has not seen the latest spec' };
  return observedState(status);
}

/** State of a control plane that is not Ready, from a status of the latest spec. */
function observedState({ conditions = [], phase = 'Pending' }: KarmadaStatus): Readiness {
  const [stalled] = conditions.filter((one) => one.type === 'Stalled' && one.status === 'True');
  if (stalled !== undefined) return { state: 'stalled', text: causeOf(stalled) };
  const ready = conditions.find(({ type }) => type === 'Ready');
  const cause = ready === undefined ? '' : `, ${causeOf(ready)}`;
  return { state: 'waiting', text: `phase ${phase}${cause}` };
}

const observesLatest = ({ metadata, status }: Karmada): boolean =>
  (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);

const isTrue = ({ conditions = [] }: KarmadaStatus, type: string): boolean =>
  conditions.some((condition) => condition.type === type && condition.status === 'True');

const causeOf = ({ reason, message }: Condition): string => `${reason}: ${message}`;
