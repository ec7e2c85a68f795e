/**
 * Decides the next step of the rotations of one control plane: pure. One step at a time, from facts only, so that it
 * continues after a crash at any point (docs/adr/0039-rotation.md).
 */
import type { RotationAuthority } from './authority.ts';
import { confirmedStep } from './confirm.ts';
import type { RotationFacts } from './facts.ts';
import { phaseStep } from './phases.ts';
import { ROTATION_ANNOTATION, type Rotation } from './record.ts';
import { RULES, type RotationRules } from './rules.ts';
import { startStep, type KnownFacts } from './start.ts';
import { hold, type RotationDecision } from './step.ts';

/** Decision about one rotation under way. */
export interface RotationState {
  readonly rotation: Rotation;
  readonly decision: RotationDecision;
}

/** Decides about each rotation under way, in the order of the record. They do not wait for each other. */
export function rotationStates(
  facts: KnownFacts,
  rules: RotationRules = RULES,
): readonly RotationState[] {
  const { now, monotonic, record, policy, obstacles } = facts;
  return record.rotations.map((rotation) => {
    const own = facts.authorities.find(({ authority }) => authority === rotation.authority);
    const input = { rotation, record, policy, now, monotonic, obstacles, rules };
    const decision =
      own === undefined ? unread(rotation.authority) : phaseStep({ ...input, facts: own });
    return { rotation, decision };
  });
}

const unread = (authority: RotationAuthority): RotationDecision =>
  hold('RotationNotObserved', `${authority}: its Secrets could not be read; the operator retries`);

/** Returns the next step, or why there is none. @param rules other rules only in tests */
export function nextRotationStep(
  facts: RotationFacts,
  rules: RotationRules = RULES,
): RotationDecision {
  const { record, obstacles, requests } = facts;
  if (obstacles.isSuspended) return { kind: 'nothing' };
  if ('fault' in record)
    return hold(
      'RotationRecordInvalid',
      `CA backup Secret: annotation ${ROTATION_ANNOTATION}: ${record.fault}; restore the annotation from a backup of the Secret, or use the version of the operator that wrote it`,
    );
  const known: KnownFacts = { ...facts, record };
  const decision = observed(known, rules);
  const [fault] = requests.faults;
  return decision.kind === 'nothing' && fault !== undefined
    ? hold('RotationRequestInvalid', fault)
    : decision;
}

function observed(facts: KnownFacts, rules: RotationRules): RotationDecision {
  const { obstacles, record } = facts;
  const confirmed = confirmedStep(facts);
  const decision = (): RotationDecision =>
    record.rotations.length === 0 ? startStep(facts, rules) : underWay(facts, rules);
  if (obstacles.unobserved === undefined) {
    if (confirmed !== undefined && 'step' in confirmed) return confirmed.step;
    const next = decision();
    return next.kind === 'nothing' && confirmed !== undefined
      ? hold('RotationRequestInvalid', confirmed.fault)
      : next;
  }
  if (decision().kind === 'nothing' && confirmed === undefined) return { kind: 'nothing' };
  return hold('RotationNotObserved', `rotation: ${obstacles.unobserved}; no step without proof`);
}

/** The first rotation that can go on; else the reason of the first one, an obstacle before a phase that takes its time. */
function underWay(facts: KnownFacts, rules: RotationRules): RotationDecision {
  const states = rotationStates(facts, rules);
  const decisions = states.map(({ decision }) => decision);
  const isObstacle = (state: RotationState): boolean =>
    state.decision.kind === 'hold' && state.decision.reason !== state.rotation.phase;
  return (
    decisions.find(({ kind }) => kind !== 'hold' && kind !== 'nothing') ??
    states.find(isObstacle)?.decision ??
    decisions[0] ?? { kind: 'nothing' }
  );
}
