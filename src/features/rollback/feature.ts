import type { Assessment } from '../../actions/assessment.ts';
import type { ExecutionContext, Feature } from '../../actions/feature.ts';
import type { Host } from '../../host-clusters/host.ts';
import { recordActions } from './record-actions.ts';
import { rolledBackChange, UPGRADE_ROLLED_BACK } from './rollback-status.ts';
import { msUntilDeadline } from './step-deadline.ts';
import { recordFailedChange, recordReadySpec } from './write-record.ts';

interface Tools {
  readonly host: Pick<Host, 'client'>;
}

/** Whether the operator returns to the last ready spec, without a problem. */
const isReturning = ({ snapshot, problem, unfinished }: Assessment): 'unfinished' | undefined =>
  snapshot.rollback !== undefined && problem === undefined && unfinished.length > 0
    ? 'unfinished'
    : undefined;

/** The return to the last spec that was Ready, after a failed change. */
export const rollback = {
  name: 'rollback',
  blockedChanges: (snapshot, states) => rolledBackChange(snapshot, states) ?? [],
  decideLast: recordActions,
  readyReasons: [UPGRADE_ROLLED_BACK],
  continues: isReturning,
  msUntilDeadline,
  executors: ({ tools: { host } }: ExecutionContext<Tools>) => ({
    recordReadySpec: (action) => recordReadySpec(host.client, action),
    recordFailedChange: (action) => recordFailedChange(host.client, action),
  }),
} satisfies Feature<Tools>;
