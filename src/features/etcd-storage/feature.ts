import type { ExecutionContext, Feature } from '../../actions/feature.ts';
import type { Host } from '../../host-clusters/host.ts';
import { expansionWarnings } from './claim-growth.ts';
import { replaceStorage } from './replace-storage.ts';

interface Tools {
  readonly host: Host;
}

/** The volumes of a local etcd. */
export const etcdStorage = {
  name: 'storage of etcd',
  warnings: expansionWarnings,
  executors: ({ tools: { host }, snapshot: { karmada } }: ExecutionContext<Tools>) => ({
    replaceEtcdStorage: async ({ replacement }) => ({
      writes: await replaceStorage(host, karmada.metadata.name, replacement.wanted),
    }),
  }),
} satisfies Feature<Tools>;
