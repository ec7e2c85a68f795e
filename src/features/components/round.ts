import type { Round } from '../../actions/round.ts';
import { withExecutionResult } from '../../assessment/assessment.ts';
import type { Templates } from '../../components/render.ts';
import { initialServiceActions } from './initial-services.ts';

/** Services exist before the certificates, because these contain their addresses. */
export const firstServicesRound = (templates: Templates): Round<unknown> => ({
  name: 'first Services',
  toleratesErrors: true,
  decide: ({ snapshot }) => ({
    actions: initialServiceActions(templates, snapshot),
    learn: (result) => ({ snapshot: withExecutionResult(snapshot, result) }),
  }),
});
