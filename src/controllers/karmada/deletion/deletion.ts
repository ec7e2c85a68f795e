/** Processes the deletion of a Karmada, on the management cluster or on a remote host cluster. */
import type { RevokeMemberAccess } from '../../../actions/karmada-action.ts';
import { executeActionsOrThrow, type ExecutorsOf } from '../../../actions/execute-actions.ts';
import type { Reason } from '../../../api/reasons/condition-reasons.ts';
import type { Problem } from '../../../api/reasons/problem.ts';
import {
  FINALIZER,
  type Condition,
  type Karmada,
  type KarmadaStatus,
} from '../../../api/karmada.ts';
import type { AddressesOf } from '../../../kubernetes/connection/addresses.ts';
import type { OnCalls } from '../../../kubernetes/client/finished-call.ts';
import type { ReconcileResult } from '../../../kubernetes/workqueue/worker.ts';
import { errorText } from '../../../kubernetes/client/errors.ts';
import type { Log } from '../../../kubernetes/time/clock.ts';
import type { Term } from '../../../kubernetes/time/term.ts';
import { connectMember } from '../../../member-clusters/member-api.ts';
import { DELETION_UNCONFIRMED } from './await-confirmation.ts';
import { leftBehindText, type JoinedMembers } from './confirmation.ts';
import { deletionExecutors, type DeletionExecutorTools } from './deletion-executors.ts';
import { deletesObjects, finalize } from './finalize.ts';
import { HOST_REACHABLE } from '../../../conditions/condition-types.ts';
import type { Host, ManagementCluster } from '../../../host-clusters/host.ts';
import type { DeletionMemo, InstanceCache } from '../../../instance/instance-cache.ts';
import { revokeMemberAccess, type RevokeTools } from './revoke-member-access.ts';
import { abandonCommand, isAbandoned } from '../../../features/remote-host/abandon-host.ts';
import type { HostResolution } from '../../../features/remote-host/host-resolution.ts';
import { rejectedStatus } from '../../../features/status/unreconciled-status.ts';
import { withUnreachedHost } from '../../../features/remote-host/unreached-status.ts';
import { reportStatus } from '../../../features/status/report-status.ts';

export interface DeletionTools extends Omit<DeletionExecutorTools, 'host'> {
  readonly local: ManagementCluster;
  readonly log: Log;
  readonly addresses: AddressesOf;
  /** Member clusters that are joined. */
  readonly members: JoinedMembers;
  readonly memory: Pick<InstanceCache, 'deletion'>;
  /** See `ClientOptions`. */
  readonly term?: Term;
  /** Receives the calls to member clusters. */
  readonly onCalls?: OnCalls;
}

/**
 * Executes the part of the deletion that is possible now, without waiting.
 * @param key `namespace/name` of the Karmada
 */
export async function deleteInstance(
  tools: DeletionTools,
  key: string,
  karmada: Karmada,
  resolution: HostResolution,
): Promise<ReconcileResult> {
  // The first check of the host cluster ends soon; its result starts the next reconcile.
  if ('unread' in resolution && deletesObjects(karmada)) return {};
  const host = 'host' in resolution ? resolution.host : undefined;
  if (host === undefined && 'problem' in resolution && deletesObjects(karmada))
    return deleteUnreached(tools, key, karmada, resolution.problem);
  // A confirmation is not asked for again: the control plane may not respond any more.
  if (host !== undefined) remember(tools, 'started', karmada);
  await tell(tools, key, karmada);
  const [result] = await Promise.all([
    finalize({ ...tools, host: host ?? tools.local }, karmada),
    host && leaveOnce(tools, host, karmada),
  ]);
  return result;
}

function remember(
  { memory }: Pick<DeletionTools, 'memory'>,
  step: keyof DeletionMemo,
  { metadata: { uid = '' } }: Karmada,
): void {
  memory.deletion = { ...memory.deletion, [step]: uid };
}

/** Reports the deletion in the status. A failed write does not delay the deletion. */
async function tell(tools: DeletionTools, key: string, karmada: Karmada): Promise<void> {
  const { metadata, status: before = {} } = karmada;
  const goes = metadata.finalizers?.includes(FINALIZER) === true && deletesObjects(karmada);
  if (!goes || isReported(before)) return;
  warnAboutMembers(tools, karmada);
  const context = {
    before: withoutHostProblem(before),
    now: tools.clock.wall(),
    phase: 'Deleting',
  } as const;
  const message = 'the control plane is being deleted';
  const next = rejectedStatus(karmada, { reason: 'Deleting', message }, context);
  try {
    await reportStatus(tools, { key, settled: new Map() }, karmada, next);
  } catch (error) {
    tools.log.warn({ karmada: key, error: errorText(error) }, 'status update failed');
  }
}

/** Names the member clusters that the deletion leaves behind in an Event. */
function warnAboutMembers({ members, events, log }: DeletionTools, karmada: Karmada): void {
  const note = leftBehindText(members);
  if (note === undefined) return;
  const { name, namespace = '' } = karmada.metadata;
  const fields = { karmada: `${namespace}/${name}`, members: members.total };
  log.warn(fields, 'control plane with joined member clusters is deleted');
  const regarding = karmada;
  events.record({
    regarding,
    type: 'Warning',
    reason: 'MembersLeft' satisfies Reason,
    action: 'Delete',
    note,
  });
}

/** Whether a condition names an unreachable host cluster, which blocks the deletion. */
const namesHostProblem = ({ type, status }: Condition): boolean =>
  type === HOST_REACHABLE && status !== 'True';

/** The status without a stale problem of the host cluster, which is reachable again. */
const withoutHostProblem = ({ conditions = [], ...status }: KarmadaStatus): KarmadaStatus => ({
  ...status,
  conditions: conditions.filter((condition) => !namesHostProblem(condition)),
});

/** Whether the status reports that the deletion has started, and that nothing blocks it. */
export const isReported = ({ phase, conditions = [] }: KarmadaStatus): boolean =>
  phase === 'Deleting' &&
  !conditions.some(
    (condition) => namesHostProblem(condition) || condition.reason === DELETION_UNCONFIRMED,
  );

/**
 * Reports that an unreachable host cluster blocks the deletion. Only its owner knows whether it returns: once an
 * annotation declares it lost, the operator leaves the objects there and removes the finalizer.
 */
async function deleteUnreached(
  tools: DeletionTools,
  key: string,
  karmada: Karmada,
  problem: Problem,
): Promise<ReconcileResult> {
  const { metadata, status: before = {} } = karmada;
  if (metadata.finalizers?.includes(FINALIZER) !== true) return {};
  // A failed read of the Secret is no evidence about the host cluster.
  if (problem.reason === 'HostSecretReadFailed' || !isAbandoned(karmada, metadata.uid)) {
    const command = abandonCommand(karmada, metadata.uid);
    const waits = `deletion blocked: ${problem.message}. If the host cluster is permanently lost, run ${command}; the objects there then stay there`;
    const now = tools.clock.wall();
    const unreached = withUnreachedHost(karmada, problem, { before, now });
    const context = { before: unreached, now, phase: 'Deleting' } as const;
    const next = rejectedStatus(karmada, { reason: 'Deleting', message: waits }, context);
    await reportStatus(tools, { key, settled: new Map() }, karmada, next);
    return {};
  }
  const { namespace = '', name } = metadata;
  tools.log.warn(
    { karmada: `${namespace}/${name}` },
    'objects on abandoned host cluster not deleted',
  );
  tools.events.record({
    regarding: karmada,
    type: 'Warning',
    reason: 'HostAbandoned' satisfies Reason,
    action: 'Delete',
    note: `host cluster, Namespace ${namespace}: left in place: workloads, Services, Secrets and PersistentVolumeClaims with the label app.kubernetes.io/instance=${name}; they run again if the cluster returns`,
  });
  const executors = deletionExecutors({ ...tools, host: tools.local }, karmada);
  await executeActionsOrThrow(executors, [{ kind: 'deleteKubeconfigCopy', karmada }]);
  await executeActionsOrThrow(executors, [{ kind: 'removeFinalizer', karmada }]);
  return {};
}

/** Removes the access in the member clusters, once per Karmada. There is no retry for an unreachable one. */
async function leaveOnce(
  { clock, log, memory, term, addresses, onCalls }: DeletionTools,
  host: Host,
  karmada: Karmada,
): Promise<void> {
  const { uid = '', namespace = '' } = karmada.metadata;
  if (memory.deletion?.left === uid || !deletesObjects(karmada)) return;
  remember({ memory }, 'left', karmada);
  const connect = connectMember({
    clock,
    addresses: addresses(namespace),
    ...(term && { term }),
    ...(onCalls && { onCalls }),
  });
  const executors = revokingExecutors({ host, clock, log, connect });
  await executeActionsOrThrow(executors, [{ kind: 'revokeMemberAccess', karmada }]);
}

/** Executor of the writes to member clusters. */
const revokingExecutors = (tools: RevokeTools): ExecutorsOf<RevokeMemberAccess> => ({
  revokeMemberAccess: async ({ karmada }) => {
    await revokeMemberAccess(tools, karmada);
    return {};
  },
});
