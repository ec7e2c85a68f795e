/**
 * Deletes the objects of a control plane and removes the finalizer. It sends no request to the control plane, which may
 * be broken. The order is: components that write to etcd, etcd, PVCs if the retention policy says so, Secrets.
 */
import { adoptionForDeletion } from '../../../features/adoption/claim-for-deletion.ts';
import { executeActionsOrThrow } from '../../../actions/execute-actions.ts';
import { DISABLE_CASCADING_DELETION_LABEL, FINALIZER, type Karmada } from '../../../api/karmada.ts';
import { rejectedStatus } from '../../../features/status/unreconciled-status.ts';
import type { Host } from '../../../host-clusters/host.ts';
import { isTerminating } from '../../../kubernetes/objects/object.ts';
import type { ReconcileResult } from '../../../kubernetes/workqueue/worker.ts';
import {
  deletionExecutors,
  type DeletionAction,
  type DeletionExecutorTools,
} from './deletion-executors.ts';
import { planDeletion, type DeletionStep } from './deletion-plan.ts';
import { listRemains } from './remaining-objects.ts';

const CHECK_AGAIN_MS = 300;
/** In a terminating Namespace the namespace controller sets the pace; watch events of Pods arrive earlier. */
const ENDING_PODS_MS = 2_000;

/** Whether the deletion of the Karmada deletes its objects. */
export function deletesObjects({ metadata }: Pick<Karmada, 'metadata'>): boolean {
  return (metadata.labels?.[DISABLE_CASCADING_DELETION_LABEL] ?? 'false') === 'false';
}

/** The step of a Karmada whose objects stay. */
const NOTHING_TO_DELETE: DeletionStep = { remove: [], hurry: [], done: true };

/**
 * What follows a deletion step: another call, or the end. Then the finalizer is removed, except if the Karmada is not
 * deleted yet: in a terminating Namespace its deletion may come later. Pure function.
 */
export function afterStep(
  karmada: Pick<Karmada, 'metadata'>,
  { done }: Pick<DeletionStep, 'done'>,
): { readonly requeueAfterMs: number } | { readonly removesFinalizer: boolean } {
  const isDeleted = isTerminating(karmada);
  if (done) return { removesFinalizer: isDeleted };
  return { requeueAfterMs: isDeleted ? CHECK_AGAIN_MS : ENDING_PODS_MS };
}

/** Whether the finalizer of this operator keeps the Karmada. */
const hasFinalizer = ({ metadata }: Pick<Karmada, 'metadata'>): boolean =>
  metadata.finalizers?.includes(FINALIZER) === true;

/**
 * Deletes the objects of a control plane, verifies with live lists that they are gone, and removes the finalizer.
 * Each call does all that is possible now and never waits.
 * @returns when to call again; empty if the finalizer is gone
 * @throws ApiError, NetworkError
 */
export async function finalize(
  tools: DeletionExecutorTools,
  karmada: Karmada,
): Promise<ReconcileResult> {
  if (!hasFinalizer(karmada)) return {};
  const executors = deletionExecutors(tools, karmada);
  const isDeleting = deletesObjects(karmada);
  const adoption = isDeleting ? await adoptionForDeletion(tools, karmada) : [];
  for (const round of adoption) await executeActionsOrThrow(executors, round);
  const now = tools.clock.wall();
  const step = isDeleting
    ? planDeletion(karmada, await listRemains(tools.host, karmada), now)
    : NOTHING_TO_DELETE;
  await executeActionsOrThrow(executors, stepActions(karmada, step, now));
  const next = afterStep(karmada, step);
  if ('requeueAfterMs' in next) return next;
  for (const round of lastRounds(karmada, tools.host, next))
    await executeActionsOrThrow(executors, round);
  return {};
}

/** Returns the actions of a step. The status says what the deletion waits for; an equal message causes no second write. */
function stepActions(
  karmada: Karmada,
  { hurry, remove, waitsFor: message }: DeletionStep,
  now: number,
): readonly DeletionAction[] {
  const actions: readonly DeletionAction[] = [
    ...hurry.map((pod) => ({ kind: 'shortenGracePeriod', pod }) as const),
    ...remove.map((object) => ({ kind: 'deleteObject', object }) as const),
  ];
  if (message === undefined) return actions;
  const context = { before: karmada.status ?? {}, now, phase: 'Deleting' } as const;
  const status = rejectedStatus(karmada, { reason: 'Deleting', message }, context);
  return [...actions, { kind: 'writeStatus', karmada, status }];
}

/** Returns what follows when no object is left, in rounds. */
const lastRounds = (
  karmada: Karmada,
  { remote }: Pick<Host, 'remote'>,
  { removesFinalizer }: { readonly removesFinalizer: boolean },
): readonly (readonly DeletionAction[])[] => [
  remote === undefined ? [] : [{ kind: 'deleteKubeconfigCopy', karmada }],
  removesFinalizer ? [{ kind: 'removeFinalizer', karmada }] : [],
];
