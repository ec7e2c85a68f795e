import type { Feature } from '../../actions/feature.ts';
import type { Problem } from '../../api/reasons/problem.ts';
import type { ComponentName } from '../../components/component.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { isPausedComponent, pausedText, propagationProblem } from './propagation.ts';

const stopped = (name: ComponentName, snapshot: Snapshot): Problem | undefined =>
  isPausedComponent(name, snapshot)
    ? { reason: 'PropagationPaused', message: pausedText(snapshot) }
    : undefined;

/** The pause of the propagation to member clusters. */
export const propagation = {
  name: 'propagation',
  stopped,
  minorProblem: ({ snapshot }) => propagationProblem(snapshot),
} satisfies Feature<unknown>;
