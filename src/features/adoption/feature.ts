import type { ExecutionContext, Feature } from '../../actions/feature.ts';
import { adoptObject, type AdoptTools } from './adopt-object.ts';

/** The control planes that the Go operator created. */
export const adoption = {
  name: 'adoption',
  executors: ({ tools }: ExecutionContext<AdoptTools>) => ({
    adoptObject: (action) => adoptObject(tools, action),
  }),
} satisfies Feature<AdoptTools>;
