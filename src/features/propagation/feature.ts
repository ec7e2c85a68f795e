import type { Feature } from '../../actions/feature.ts';
import { propagationProblem } from './propagation.ts';

/** The pause of the propagation to member clusters. */
export const propagation = {
  name: 'propagation',
  minorProblem: ({ snapshot }) => propagationProblem(snapshot),
} satisfies Feature<unknown>;
