/** What a pass does about a Karmada that is being deleted, wherever its control plane is. */
import {
  ABANDON_HOST_ANNOTATION,
  FINALIZER,
  type Karmada,
  type KarmadaStatus,
} from '../../api/karmada.ts';
import type { HostProblem } from '../../hosts/read-access.ts';
import type { ReconcileResult } from '../../kubernetes/worker.ts';
import { errorText } from '../../kubernetes/errors.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import type { Log } from '../../kubernetes/clock.ts';
import { connectMember } from '../../members/grant.ts';
import { deletesObjects, finalize, releaseKarmada, type FinalizeTools } from './finalize.ts';
import { HOST_REACHABLE } from '../status/condition-types.ts';
import type { Host, Local } from '../host.ts';
import { leaveMembers } from './leave-members.ts';
import type { Place } from '../remote/place.ts';
import { removeLocalKubeconfig } from '../remote/remote.ts';
import { refusedStatus, withUnreachedHost } from '../status/status-idle.ts';
import { writeStatus } from '../status/status-writer.ts';

export interface DeletionTools extends Omit<FinalizeTools, 'host'> {
  readonly local: Local;
  readonly log: Log;
  /** Uids of Karmadas that have left their members, by key. */
  readonly left: Map<string, string>;
}

/** Does what can be done now. */
export async function deleteInstance(
  tools: DeletionTools,
  key: string,
  karmada: Karmada,
  place: Place,
): Promise<ReconcileResult> {
  const host = 'host' in place ? place.host : undefined;
  if (host === undefined && 'problem' in place && deletesObjects(karmada))
    return deleteUnreached(tools, key, karmada, place.problem);
  await tell(tools, key, karmada, 'the control plane is being deleted');
  const [result] = await Promise.all([
    finalize({ ...tools, host: host ?? tools.local }, karmada),
    host && leaveOnce(tools, host, key, karmada),
  ]);
  return result;
}

/** Says that nothing is ready any more. That it cannot be said holds nothing up. */
async function tell(
  tools: DeletionTools,
  key: string,
  karmada: Karmada,
  message: string,
): Promise<void> {
  const { metadata, status: before = {} } = karmada;
  const goes = metadata.finalizers?.includes(FINALIZER) === true && deletesObjects(karmada);
  if (!goes || isTold(before)) return;
  const context = {
    before: withoutFault(before),
    now: tools.clock.wall(),
    phase: 'Deleting',
  } as const;
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
  conditions.some(({ type, message }) => type === 'Ready' && !message.includes(GIVE_UP));

const GIVE_UP = `annotate the Karmada with ${ABANDON_HOST_ANNOTATION}=true`;

/** A host that is away may come back, so that only its owner can say that it will not. */
async function deleteUnreached(
  tools: DeletionTools,
  key: string,
  karmada: Karmada,
  problem: HostProblem,
): Promise<ReconcileResult> {
  const { metadata, status: before = {} } = karmada;
  if (metadata.finalizers?.includes(FINALIZER) !== true) return {};
  if (metadata.annotations?.[ABANDON_HOST_ANNOTATION] !== 'true') {
    const waits = `the control plane cannot be deleted: ${problem.message}. If the host is gone for good, ${GIVE_UP}; what is there then stays there`;
    const now = tools.clock.wall();
    const unreached = withUnreachedHost(karmada, problem, { before, now });
    const context = { before: unreached, now, phase: 'Deleting' } as const;
    const next = refusedStatus(karmada, { reason: 'Deleting', message: waits }, context);
    await writeStatus(tools, { key, settled: new Map() }, karmada, next);
    return {};
  }
  tools.events.record({
    regarding: karmada as unknown as KubernetesObject,
    type: 'Warning',
    reason: 'HostAbandoned',
    action: 'Delete',
    note: `left behind on the host cluster, in namespace ${metadata.namespace ?? ''}: workloads, Services, Secrets and claims with the label app.kubernetes.io/instance=${metadata.name}`,
  });
  await removeLocalKubeconfig(tools.local, metadata);
  await releaseKarmada(tools.local, karmada);
  return {};
}

/** Once is enough: whoever does not answer then is let go. */
async function leaveOnce(
  { clock, log, left }: DeletionTools,
  host: Host,
  key: string,
  karmada: Karmada,
): Promise<void> {
  const { uid = '' } = karmada.metadata;
  if (left.get(key) === uid || !deletesObjects(karmada)) return;
  left.set(key, uid);
  await leaveMembers({ host, clock, log, connect: connectMember(clock) }, karmada);
}
