import type { ExecutionContext, Feature } from '../../actions/feature.ts';
import type { EventRecorder } from '../../kubernetes/client/events.ts';
import type { Term } from '../../kubernetes/time/term.ts';
import { askMembersOf, memberTargets } from '../etcd-members/etcd-members.ts';
import type { EtcdTools } from '../etcd-members/feature.ts';
import { upkeepAfterMs } from './plan-upkeep.ts';
import { startUpkeep } from './run-upkeep.ts';

interface Tools extends EtcdTools {
  readonly events: Pick<EventRecorder, 'record'>;
  readonly enqueue: (key: string) => void;
  readonly term?: Term;
}

/** Compaction, defragmentation and alarms of a local etcd. */
export const etcdUpkeep = {
  name: 'upkeep of etcd',
  observers: {
    facts: ({ instance: { upkeep } }) =>
      upkeep === undefined
        ? {}
        : { etcdUpkeep: { ...upkeep, isRunning: upkeep.running !== undefined } },
  },
  executors: ({ tools, instance, snapshot }: ExecutionContext<Tools>) => {
    const { host, clock, etcdMembers, enqueue } = tools;
    const upkeep = {
      ...tools,
      client: host.client,
      instance,
      ask: askMembersOf(snapshot, instance, host, () => clock.wall()),
      targets: memberTargets(snapshot, instance, host),
      onDone: () => {
        etcdMembers.again(instance.key);
        enqueue(instance.key);
      },
    };
    return {
      maintainEtcd: async (action) => {
        void startUpkeep(upkeep, snapshot, action);
        return {};
      },
    };
  },
  msUntilCheck: ({ snapshot }) => upkeepAfterMs(snapshot),
} satisfies Feature<Tools>;
