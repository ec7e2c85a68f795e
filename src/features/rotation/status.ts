/** What a control plane reports about its rotations: pure. Nothing of it is a key. */
import type { ConditionDraft } from '../../conditions/conditions.ts';
import type { KarmadaStatus } from '../../api/karmada.ts';
import type { RotationReason } from '../../api/reasons/rotation.ts';
import { ROTATION_PHASES } from './authority.ts';
import { confirmedStep } from './confirm.ts';
import type { RotationFacts } from './facts.ts';
import { rotationStates, type RotationState } from './next-step.ts';
import { listed, MAX_NAMES } from './phase-text.ts';
import { confirmationOf } from './requests.ts';
import { nextRequest, type KnownFacts } from './start.ts';
import type { RotationDecision } from './step.ts';

type RotationStatus = NonNullable<KarmadaStatus['certificateRotation']>;
type AuthorityStatus = NonNullable<RotationStatus['authorities']>[number];

/** Returns `status.certificateRotation`. @returns undefined at rest */
export function rotationStatus(facts: RotationFacts): RotationStatus | undefined {
  const known = knownFacts(facts);
  if (known === undefined || known.record.rotations.length === 0) return undefined;
  const queued = nextRequest(known)?.recorded;
  return {
    authorities: rotationStates(known).map((state) => authorityStatus(known, state)),
    ...(queued !== undefined && { queued: queued.slice(queued.indexOf('=') + 1) }),
  };
}

function knownFacts(facts: RotationFacts): KnownFacts | undefined {
  const { record } = facts;
  return 'fault' in record ? undefined : { ...facts, record };
}

function authorityStatus(
  { record }: KnownFacts,
  { rotation, decision }: RotationState,
): AuthorityStatus {
  const { authority, phase, from, to, since } = rotation;
  const names = decision.kind === 'hold' ? decision.waitingFor : [];
  return {
    ...{ authority, phase, from, to, since: new Date(since).toISOString() },
    waitingFor: { names: names.slice(0, MAX_NAMES), count: names.length },
    abort: confirmationOf('abort', rotation, record),
    ...(phase === 'Overlap' && { complete: confirmationOf('complete', rotation, record) }),
  };
}

/** Condition type. */
export const CERTIFICATE_ROTATION = 'CertificateRotation';

/**
 * Returns the condition: True in a phase, False with the reason of a hold, absent at rest. A suspended control plane
 * keeps the one of its phase.
 * @param decision of `nextRotationStep` over these facts
 */
export function rotationConditions(
  facts: RotationFacts,
  decision: RotationDecision,
): readonly ConditionDraft[] {
  const of = (
    status: 'True' | 'False',
    reason: RotationReason,
    message: string,
  ): readonly ConditionDraft[] => [{ type: CERTIFICATE_ROTATION, status, reason, message }];
  const faults = faultsOf(facts).filter(
    (fault) => !('message' in decision && decision.message === fault),
  );
  if (decision.kind === 'hold') {
    const { reason, message, waitingFor } = decision;
    const isPhase = ROTATION_PHASES.some((phase) => phase === reason);
    const others = waitingFor.length > 1 ? [`waiting for ${listed(waitingFor)}`] : [];
    return of(isPhase ? 'True' : 'False', reason, [message, ...others, ...faults].join('; '));
  }
  const [rotation] = knownFacts(facts)?.record.rotations ?? [];
  if (rotation === undefined) return [];
  const { authority, phase } = rotation;
  const message = 'message' in decision ? decision.message : `${authority}: suspended`;
  return of('True', phase, [message, ...faults].join('; '));
}

/** Annotations that have no effect, also while a rotation is under way. */
function faultsOf(facts: RotationFacts): readonly string[] {
  const known = knownFacts(facts);
  const confirmed = known && confirmedStep(known);
  return [
    ...facts.requests.faults,
    ...(confirmed !== undefined && 'fault' in confirmed ? [confirmed.fault] : []),
  ];
}

/** Time between two attempts to observe what the next step needs. */
const UNOBSERVED_RETRY_MS = 60_000;

/**
 * Returns when the next check is due without an event, wall clock in milliseconds; Infinity if only an event changes anything.
 * @param decision of `nextRotationStep` over these facts
 */
export function rotationDueAt(facts: RotationFacts, decision: RotationDecision): number {
  const known = knownFacts(facts);
  if (known === undefined) return Infinity;
  // No event tells that a Pod of a remote host cluster can be reached again.
  if (decision.kind === 'hold' && decision.reason === 'RotationNotObserved')
    return facts.now + UNOBSERVED_RETRY_MS;
  const times = rotationStates(known).map(({ decision: own }) =>
    own.kind === 'hold' ? (own.dueAt ?? Infinity) : facts.now,
  );
  return Math.min(Infinity, ...times);
}
