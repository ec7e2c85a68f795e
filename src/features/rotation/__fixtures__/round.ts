/** What surrounds a round of rotations in its tests. */
import { executionResultOf } from '../../../actions/execution-result.ts';
import type { Karmada } from '../../../api/karmada.ts';
import type { ConditionDraft } from '../../../conditions/conditions.ts';
import type { RotationSnapshot } from '../../../instance/rotation-snapshot.ts';
import { karmadaOf, NOW } from '../../../instance/__fixtures__/instance.ts';
import type { Action } from '../../../actions/action.ts';
import { manualClock } from '../../../kubernetes/time/clock.fixture.ts';
import type { Clock } from '../../../kubernetes/time/clock.ts';
import type { rotationRound } from '../round.ts';

export const clock: Clock = { ...manualClock(NOW), wall: (): number => NOW };

const READY = [
  { type: 'Ready', status: 'True', reason: 'Ready', message: '', observedGeneration: 2 },
  { type: 'Progressing', status: 'False', reason: 'Completed', message: '' },
];

/** The Karmada object of a ready control plane. @param rotate value of the annotation that requests a rotation */
export function readyKarmada(rotate: string | undefined): Karmada {
  const karmada = karmadaOf();
  const annotations = rotate && { 'operator.karmada.io/rotate': rotate };
  return {
    ...{ ...karmada, status: { conditions: READY } },
    metadata: { ...karmada.metadata, annotations: { ...annotations } },
  } as object as Karmada;
}

interface RoundResult {
  readonly actions: readonly Action[];
  readonly condition: ConditionDraft | undefined;
  readonly restarts: RotationSnapshot['restarts'] | undefined;
}

/** Actions of the round, its condition after them, and the components that it restarts. */
export function resultOf(
  decision: ReturnType<NonNullable<typeof rotationRound.decide>> | undefined,
): RoundResult {
  const learned = decision?.learn?.(executionResultOf([], []));
  const { conditions = [], restarts } = learned?.snapshot?.rotation ?? {};
  return { actions: decision?.actions ?? [], condition: conditions[0], restarts };
}
