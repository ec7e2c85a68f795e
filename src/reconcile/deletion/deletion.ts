/** What a pass does about a Karmada that is being deleted, wherever its control plane is. */
import type { Problem } from '../../api/problem.ts';
import { FINALIZER, type Karmada, type KarmadaStatus } from '../../api/karmada.ts';
import type { AddressPolicy } from '../../kubernetes/addresses.ts';
import type { ReconcileResult } from '../../kubernetes/worker.ts';
import { errorText } from '../../kubernetes/errors.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import type { Log } from '../../kubernetes/clock.ts';
import { connectMember } from '../../members/grant.ts';
import { deletesObjects, finalize, releaseKarmada, type FinalizeTools } from './finalize.ts';
import { HOST_REACHABLE } from '../status/condition-types.ts';
import type { Host, Local } from '../../hosts/host.ts';
import { leaveMembers } from './leave-members.ts';
import { abandonCommand, isAbandoned } from '../remote/abandon-host.ts';
import type { Place } from '../remote/place.ts';
import { removeLocalKubeconfig } from '../remote/remote.ts';
import { refusedStatus, withUnreachedHost } from '../status/status-idle.ts';
import { writeStatus } from '../status/status-writer.ts';

export interface DeletionTools extends Omit<FinalizeTools, 'host'> {
  readonly local: Local;
  readonly log: Log;
  readonly addresses: AddressPolicy;
  /** Uids of Karmadas that have left their members, by key. */
  readonly left: Map<string, string>;
  /** See `ClientOptions`. */
  readonly term?: AbortSignal;
}

/** Does what can be done now. */
export async function deleteInstance(
  tools: DeletionTools,
  key: string,
  karmada: Karmada,
  place: Place,
): Promise<ReconcileResult> {
  // Whether the host can be reached is known soon, and then it is told.
  if ('unread' in place && deletesObjects(karmada)) return {};
  const host = 'host' in place ? place.host : undefined;
  if (host === undefined && 'problem' in place && deletesObjects(karmada))
    return deleteUnreached(tools, key, karmada, place.problem);
  await tell(tools, key, karmada);
  const [result] = await Promise.all([
    finalize({ ...tools, host: host ?? tools.local }, karmada),
    host && leaveOnce(tools, host, key, karmada),
  ]);
  return result;
}

/** Says that nothing is ready any more. That it cannot be said holds nothing up. */
async function tell(tools: DeletionTools, key: string, karmada: Karmada): Promise<void> {
  const { metadata, status: before = {} } = karmada;
  const goes = metadata.finalizers?.includes(FINALIZER) === true && deletesObjects(karmada);
  if (!goes || isTold(before)) return;
  const context = {
    before: withoutFault(before),
    now: tools.clock.wall(),
    phase: 'Deleting',
  } as const;
  const message = 'the control plane is being deleted';
  const next = refusedStatus(karmada, { reason: 'Deleting', message }, context);
  try {
    await writeStatus(tools, { key, settled: new Map() }, karmada, next);
  } catch (error) {
    tools.log.warn({ karmada: key, error: errorText(error) }, 'status not written');
  }
}

/** A host that is worked on is reached. */
const withoutFault = ({ conditions = [], ...status }: KarmadaStatus): KarmadaStatus => ({
  ...status,
  conditions: conditions.filter(
    ({ type, status: found }) => type !== HOST_REACHABLE || found === 'True',
  ),
});

const isTold = ({ phase, conditions = [] }: KarmadaStatus): boolean =>
  phase === 'Deleting' &&
  conditions.some(({ type, message }) => type === 'Ready' && !message.includes(GONE));

const GONE = 'If the host is gone for good';

/** A host that is away may come back, so that only its owner can say that it will not. */
async function deleteUnreached(
  tools: DeletionTools,
  key: string,
  karmada: Karmada,
  problem: Problem,
): Promise<ReconcileResult> {
  const { metadata, status: before = {} } = karmada;
  if (metadata.finalizers?.includes(FINALIZER) !== true) return {};
  // A Secret that could not be read says nothing of the host.
  if (problem.reason === 'HostSecretUnread' || !isAbandoned(karmada, metadata.uid)) {
    const command = abandonCommand(karmada, metadata.uid);
    const waits = `the control plane cannot be deleted: ${problem.message}. ${GONE}, run ${command}; what is there then stays there`;
    const now = tools.clock.wall();
    const unreached = withUnreachedHost(karmada, problem, { before, now });
    const context = { before: unreached, now, phase: 'Deleting' } as const;
    const next = refusedStatus(karmada, { reason: 'Deleting', message: waits }, context);
    await writeStatus(tools, { key, settled: new Map() }, karmada, next);
    return {};
  }
  const { namespace = '', name } = metadata;
  tools.log.warn({ karmada: `${namespace}/${name}` }, 'control plane left on an abandoned host');
  tools.events.record({
    regarding: karmada as unknown as KubernetesObject,
    type: 'Warning',
    reason: 'HostAbandoned',
    action: 'Delete',
    note: `left behind on the host cluster, in namespace ${namespace}: workloads, Services, Secrets and claims with the label app.kubernetes.io/instance=${name}`,
  });
  await removeLocalKubeconfig(tools.local, { metadata });
  await releaseKarmada(tools.local, karmada);
  return {};
}

/** Once is enough: whoever does not answer then is let go. */
async function leaveOnce(
  { clock, log, left, term, addresses }: DeletionTools,
  host: Host,
  key: string,
  karmada: Karmada,
): Promise<void> {
  const { uid = '' } = karmada.metadata;
  if (left.get(key) === uid || !deletesObjects(karmada)) return;
  left.set(key, uid);
  const connect = connectMember({ clock, addresses, ...(term && { term }) });
  await leaveMembers({ host, clock, log, connect }, karmada);
}
