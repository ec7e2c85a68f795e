import { isOurs } from '../../api/labels.ts';
import type { CheckInput, ExecutionContext, Feature } from '../../actions/feature.ts';
import type { Host } from '../../host-clusters/host.ts';
import type { Log } from '../../kubernetes/time/clock.ts';
import { pruneObject } from '../../kubernetes/apply/prune.ts';
import { annotateClaim } from './annotate-claim.ts';
import { growStorage } from './grow-storage.ts';
import { awaitsFirstPods } from './missing-pods.ts';
import { recordEtcd } from './record-etcd.ts';

interface Tools {
  readonly host: Host;
  readonly log: Log;
}

/** No event signals that the data of etcd can be read, or that it is deleted. */
const EVIDENCE_AGAIN_MS = 1_000;
/** No event signals that Pods are not created. */
const FIRST_PODS_MS = 5_000;

const msUntilCheck = ({ snapshot }: CheckInput): number =>
  Math.min(
    snapshot.etcdBootstrap?.isUnsure ? EVIDENCE_AGAIN_MS : Infinity,
    awaitsFirstPods(snapshot) ? FIRST_PODS_MS : Infinity,
  );

/** The first start of a local etcd, and the record of which cluster its data belongs to. */
export const etcdBootstrap = {
  name: 'bootstrap of etcd',
  executors: ({ tools: { host, log }, instance, snapshot }: ExecutionContext<Tools>) => ({
    recordEtcd: (action) => recordEtcd(host.client, instance, action),
    annotateClaim: (action) => annotateClaim(host.client, log, action),
    abandonEtcd: async ({ statefulSet }) => {
      const owns = (seen: typeof statefulSet): boolean =>
        isOurs(seen, snapshot.karmada.metadata.name);
      await pruneObject(host.client, { object: statefulSet, owns });
      return { writes: 1 };
    },
    growEtcdStorage: (action) => growStorage(host, snapshot, action),
  }),
  problem: ({ snapshot }) => snapshot.etcdBootstrap?.problem,
  msUntilCheck,
} satisfies Feature<Tools>;
