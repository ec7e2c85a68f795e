/** Keeps the workloads of an instance as they are until its turn has come to change for a new version of the operator. */
import type { KarmadaStatus } from '../../api/karmada.ts';
import type { Local } from '../../hosts/host.ts';
import type { Instance, Instances } from '../instance.ts';
import type { Snapshot } from '../snapshot.ts';
import type { Wish } from '../wish.ts';
import { rolloutState, siblingsOf } from './siblings.ts';
import { turnOf, unaskedChanges, withUntouched, type RolloutLimit, type Turn } from './turn.ts';

export interface RolloutTools {
  readonly local: Local;
  readonly instances: Instances;
  readonly rolloutLimit: RolloutLimit;
}

export interface InTurn {
  readonly wish: Wish | undefined;
  readonly rollout: Turn;
}

/** What may become of the wish now. An instance whose turn it is counts as rolling from now on. */
export function inTurn(
  tools: RolloutTools,
  instance: Instance,
  { snapshot, before }: { readonly snapshot: Snapshot; readonly before: KarmadaStatus },
  wish: Wish | undefined,
): InTurn {
  if (wish === undefined) return { wish, rollout: { turn: 'go' } };
  const { generation } = snapshot.karmada.metadata;
  const asked = generation !== undefined && instance.asked === generation;
  const changes = unaskedChanges(wish.desired, snapshot, before, asked);
  const marked = ['rolling', 'failed'].includes(rolloutState(before));
  const siblings = changes.length === 0 || marked ? [] : siblingsOf(tools, instance.key);
  const rollout = turnOf({ changes, marked, siblings, limit: tools.rolloutLimit });
  instance.claims = rollout.turn === 'claim';
  if (rollout.turn === 'go') return { wish, rollout };
  return { wish: { ...wish, desired: withUntouched(wish.desired, snapshot, changes) }, rollout };
}
