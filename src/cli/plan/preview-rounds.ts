/**
 * The rounds of a reconcile before its plan, as a preview shows them: nothing is written, and each write is assumed to
 * succeed. Those that depend on the responses of etcd members are left out.
 */
import type { Action } from '../../actions/action.ts';
import {
  executionResultOf,
  liveKey,
  type Done,
  type ExecutionResult,
} from '../../actions/execution-result.ts';
import type { AdoptObject } from '../../actions/karmada-action.ts';
import type { Known } from '../../actions/round.ts';
import { secretOf } from '../../api/labels.ts';
import type { Templates } from '../../components/render.ts';
import { preparingRounds, runRounds } from '../../controllers/karmada/rounds.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import type { PkiInputs } from '../../pki/types.ts';
import { asReconciled, changeOf, type Change } from '../simulate-plan.ts';

/** What the rounds before the plan decide on, besides the snapshot. */
export interface Preparation {
  /** Actions that adopt objects of the Go operator, by round. */
  readonly adoption: readonly (readonly AdoptObject[])[];
  readonly pki: PkiInputs;
  /** Secrets with certificates that the operator would write. */
  readonly secrets: readonly Change[];
}

interface PreparedRounds {
  readonly rounds: readonly (readonly Change[])[];
  /** The snapshot after them. */
  readonly snapshot: Snapshot;
}

/** Returns the changes of these rounds. Rounds without one are left out. */
export async function previewRounds(
  templates: Templates,
  snapshot: Snapshot,
  { adoption, pki, secrets }: Preparation,
): Promise<PreparedRounds> {
  const rounds: (readonly Change[])[] = [];
  const act = async (actions: readonly Action[]): Promise<ExecutionResult> => {
    const changes = actions.flatMap((action) => changesOf(action, snapshot, secrets));
    if (changes.length > 0) rounds.push(changes);
    return executionResultOf(actions.map(doneOf), []);
  };
  const clock = { wall: () => snapshot.now, monotonic: () => 0 };
  const instance = { key: '', settled: new Map<string, string>() };
  const context = { instance, clock, random: () => 0, tools: undefined, act };
  const { certificates } = snapshot;
  const due = { state: 'due', reason: '' } as const;
  const start: Known = {
    snapshot: { ...snapshot, certificates: secrets.length > 0 ? due : certificates },
    pki,
  };
  const preparing = preparingRounds(templates, adoption);
  const known = await runRounds<unknown, Known>(preparing, context, start);
  return { rounds, snapshot: { ...known.snapshot, certificates } };
}

function changesOf(
  action: Action,
  { karmada }: Snapshot,
  secrets: readonly Change[],
): readonly Change[] {
  if (action.kind === 'apply') return changeOf(action);
  if (action.kind === 'issueCertificates') return secrets;
  const host = { cluster: 'host', step: undefined } as const;
  if (action.kind === 'adoptObject') return [{ ...host, what: 'change', object: action.object }];
  // A preview does not read the values of a copy that exists.
  if (action.kind !== 'copyEtcdSecret' || action.cached !== undefined) return [];
  const object = secretOf(karmada.metadata, action.secret.mounted, {});
  return [{ ...host, what: 'create', object }];
}

const doneOf = (action: Action): Done => {
  if (action.kind !== 'apply') return {};
  const { target } = action;
  return { writes: 1, live: [liveKey(target.cluster, target.id), asReconciled(target)] };
};
