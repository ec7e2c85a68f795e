/**
 * Lets a deletion wait for a confirmation while member clusters are joined. The operator then watches the member clusters,
 * and changes nothing else. It asks the control plane for a limited time: a broken control plane must stay deletable.
 */
import type { Problem } from '../../../api/reasons/problem.ts';
import type { Karmada } from '../../../api/karmada.ts';
import { defaultSpec } from '../../../api/defaults/defaults.ts';
import { instanceName, SECRET_SUFFIX } from '../../../api/naming.ts';
import { errorText } from '../../../kubernetes/client/errors.ts';
import { resources } from '../../../kubernetes/objects/resources.ts';
import type { ReconcileResult } from '../../../kubernetes/workqueue/worker.ts';
import { adminCredentials } from '../../../control-plane-access/credentials.ts';
import type { Host } from '../../../host-clusters/host.ts';
import { anchorOf } from '../../../features/adoption/go-secrets.ts';
import { inClusterServer } from '../../../features/certificates/pki-inputs.ts';
import {
  connectControlPlane,
  type ConnectTools,
} from '../../../features/control-plane/connect-control-plane.ts';
import type { InstanceCache } from '../../../instance/instance-cache.ts';
import { isOwn } from '../../../instance/own-objects.ts';
import { joinedClusters } from '../../../features/member-access/members.ts';
import type { JoinedCluster } from '../../../instance/snapshot.ts';
import { memberClustersStatus } from '../../../features/member-access/member-clusters-status.ts';
import { currentStatus, type StatusTools } from '../../../features/status/status-writer.ts';
import { reportStatus } from '../../../features/status/report-status.ts';
import { rejectedStatus } from '../../../features/status/unreconciled-status.ts';
import { joinedMembers, unconfirmedText } from './confirmation.ts';

/** Reason of Ready while a deletion waits for the confirmation. */
export const DELETION_UNCONFIRMED = 'DeletionUnconfirmed';

/** Time for the first read of the member clusters, in milliseconds. */
const READ_MS = 10_000;
/** Pause until the next check of a reading or waiting deletion. Watch events and the annotation arrive earlier. */
const AGAIN_MS = { reading: 1_000, waiting: 30_000 };

export interface ConfirmationTools extends StatusTools, ConnectTools {
  readonly host: Host;
}

/** Returns the member clusters that the control plane reports now. Undefined if it cannot be queried. */
export function currentClusters(
  instance: InstanceCache | undefined,
): readonly JoinedCluster[] | undefined {
  const watch = instance?.controlPlane?.clusters;
  if (watch === undefined || watch.problem !== undefined || !watch.hasSynced) return undefined;
  return joinedClusters(watch);
}

/**
 * Reports what the deletion waits for.
 * @returns undefined if no member cluster is joined, so that the deletion continues
 */
export async function awaitConfirmation(
  tools: ConfirmationTools,
  instance: InstanceCache,
  karmada: Karmada,
): Promise<ReconcileResult | undefined> {
  await watchMembers(tools, instance, karmada);
  if (isReading(tools, instance)) return { requeueAfterMs: AGAIN_MS.reading };
  const before = currentStatus(instance, karmada);
  const now = tools.clock.wall();
  const memberClusters = currentClusters(instance);
  const members = joinedMembers(
    memberClusters?.map(({ name }) => name),
    before,
  );
  if (members.total === 0) return undefined;
  const message = unconfirmedText(karmada, members);
  const cause: Problem = { reason: DELETION_UNCONFIRMED, message };
  const observed = memberClustersStatus(
    { now, ...(memberClusters && { memberClusters }) },
    before.memberClusters,
  );
  const status = rejectedStatus(karmada, cause, { before, now, phase: 'Deleting' });
  const next = { ...status, ...(observed && { memberClusters: observed }) };
  const delayMs = await reportStatus(tools, instance, karmada, next);
  return { requeueAfterMs: delayMs > 0 ? delayMs : AGAIN_MS.waiting };
}

/** Starts to watch the member clusters after a restart of the operator. Never fails. */
async function watchMembers(
  tools: ConfirmationTools,
  instance: InstanceCache,
  karmada: Karmada,
): Promise<void> {
  try {
    if (instance.controlPlane === undefined) await connect(tools, instance, karmada);
    instance.controlPlane?.watchClusters();
  } catch (error) {
    const fields = { karmada: instance.key, error: errorText(error) };
    tools.log.debug(fields, 'connecting to a control plane that is deleted failed');
  }
}

async function connect(
  tools: ConfirmationTools,
  instance: InstanceCache,
  karmada: Karmada,
): Promise<void> {
  const { name, namespace = '' } = karmada.metadata;
  const key = { namespace, name: instanceName(name, SECRET_SUFFIX.cert) };
  const secret = await tools.host.client.find(resources.Secret, key);
  // The Go operator may have created the control plane.
  const isKnown =
    secret !== undefined && (isOwn(secret, name) || anchorOf(secret, namespace) !== undefined);
  const spec = defaultSpec(karmada.spec ?? {}, { defaultStorageClass: false });
  const server = inClusterServer({ karmada, spec });
  const credentials = isKnown ? adminCredentials(secret, server) : undefined;
  if (credentials !== undefined) await connectControlPlane(tools, instance, credentials);
}

/** Whether the first read of the member clusters is in progress and not overdue. */
function isReading(
  { clock }: Pick<ConfirmationTools, 'clock'>,
  { controlPlane, readingSince = -Infinity }: InstanceCache,
): boolean {
  const watch = controlPlane?.clusters;
  if (watch === undefined || watch.problem !== undefined || watch.hasSynced) return false;
  return clock.monotonic() - readingSince < READ_MS;
}
