import type { ExecutionContext, Feature } from '../../actions/feature.ts';
import { statusExecutors } from './report-status.ts';
import type { StatusTools } from './status-writer.ts';

/** The status of a Karmada, and Events about its transitions. */
export const status = {
  name: 'status',
  executors: ({ tools, instance }: ExecutionContext<StatusTools>) =>
    statusExecutors(tools, instance),
} satisfies Feature<StatusTools>;
