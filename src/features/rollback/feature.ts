import type { ExecutionContext, Feature } from '../../actions/feature.ts';
import type { Host } from '../../host-clusters/host.ts';
import { recordFailedChange, recordReadySpec } from './write-record.ts';

interface Tools {
  readonly host: Pick<Host, 'client'>;
}

/** The return to the last spec that was Ready, after a failed change. */
export const rollback = {
  name: 'rollback',
  executors: ({ tools: { host } }: ExecutionContext<Tools>) => ({
    recordReadySpec: (action) => recordReadySpec(host.client, action),
    recordFailedChange: (action) => recordFailedChange(host.client, action),
  }),
} satisfies Feature<Tools>;
