/** Plans the maintenance of a local etcd from the cache: pure. */
import { NOTHING_SEEN } from '../../etcd/view.ts';
import type { StatefulSet } from '../../kubernetes/objects/kinds.ts';
import type { MaintainEtcd } from '../../actions/action.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { etcdWorkload } from '../etcd-storage/plan-etcd.ts';
import { upkeepFacts, type UpkeepFacts } from './facts.ts';
import { NO_MEMO } from '../../instance/upkeep-memo.ts';
import { msUntilUpkeep, nextUpkeep } from './next-upkeep.ts';

/** Returns the action that maintains etcd, if its databases need it now. */
export function planUpkeep(statefulSet: StatefulSet, snapshot: Snapshot): readonly MaintainEtcd[] {
  if (restMs(snapshot) > 0) return [];
  const { kind } = nextUpkeep(cachedFacts(statefulSet, snapshot));
  return kind === 'none' ? [] : [{ kind: 'maintainEtcd', statefulSet }];
}

/** Returns the delay until the next maintenance that no event signals, in milliseconds. */
export function upkeepAfterMs(snapshot: Snapshot): number {
  const statefulSet = etcdWorkload(snapshot);
  if (statefulSet === undefined || snapshot.spec.components.etcd.local === undefined)
    return Infinity;
  const rest = restMs(snapshot);
  return rest > 0 ? rest : msUntilUpkeep(cachedFacts(statefulSet, snapshot));
}

/** Longest rest in milliseconds; a longer one means that the clock was set back. */
const MAX_REST_MS = 30_000;

function restMs({ etcdUpkeep, now }: Snapshot): number {
  const left = (etcdUpkeep?.restUntil ?? 0) - now;
  return left > MAX_REST_MS ? 0 : left;
}

const cachedFacts = (statefulSet: StatefulSet, snapshot: Snapshot): UpkeepFacts =>
  upkeepFacts(
    snapshot,
    { statefulSet, pods: snapshot.host.pods, view: snapshot.etcd ?? NOTHING_SEEN },
    snapshot.etcdUpkeep ?? NO_MEMO,
    snapshot.now,
  );
