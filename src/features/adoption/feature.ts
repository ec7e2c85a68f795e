import type { ExecutionContext, Feature } from '../../actions/feature.ts';
import { usesAdminKey } from './admin-key.ts';
import { adoptObject, type AdoptTools } from './adopt-object.ts';
import { adoptedEtcdWarnings } from './adopted-etcd.ts';

/** The control planes that the Go operator created. */
export const adoption = {
  name: 'adoption',
  observers: {
    spec: (_, { host }) => (usesAdminKey(host.objects) ? { usesAdminPair: true } : {}),
  },
  warnings: adoptedEtcdWarnings,
  executors: ({ tools }: ExecutionContext<AdoptTools>) => ({
    adoptObject: (action) => adoptObject(tools, action),
  }),
} satisfies Feature<AdoptTools>;
