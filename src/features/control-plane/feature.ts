import type { Feature } from '../../actions/feature.ts';
import { archiveProblem } from '../../crd-archives/outcome.ts';

/** The Karmada API of a control plane, and the CRDs in it. */
export const controlPlane = {
  name: 'Karmada API',
  problem: ({ snapshot }) => snapshot.controlPlane.problem ?? archiveProblem(snapshot.archive),
} satisfies Feature<unknown>;
