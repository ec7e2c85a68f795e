/** Reconciles a Karmada that is being deleted. */
import type { Karmada } from '../../api/karmada.ts';
import type { ReconcileResult } from '../../kubernetes/workqueue/worker.ts';
import type { ConvergeTools } from './converge.ts';
import { instanceOn, stopPolling } from './instance-lifetime.ts';
import {
  resolveHost,
  type HostResolution,
  type HostResolutionTools,
} from '../../features/remote-host/host-resolution.ts';
import { currentStatus } from '../../features/status/status-writer.ts';
import { awaitConfirmation, currentClusters } from './deletion/await-confirmation.ts';
import { demandsConfirmation, joinedMembers } from './deletion/confirmation.ts';
import { deleteInstance, isReported } from './deletion/deletion.ts';
import { isNamespaceEnding } from '../../host-clusters/namespace-ending.ts';

interface Tools extends Omit<ConvergeTools, 'host'>, HostResolutionTools {}

/** Deletes a control plane, unless its policy demands a confirmation that is missing. */
export async function reconcileDeleted(
  tools: Tools,
  key: string,
  karmada: Karmada,
): Promise<ReconcileResult> {
  const resolution = resolveHost(tools, key, karmada);
  const wait = await waitForMembers(tools, key, karmada, resolution);
  if (wait !== undefined) return wait;
  const instance = tools.instances.get(key);
  const names = currentClusters(instance)?.map(({ name }) => name);
  const members = joinedMembers(names, currentStatus(instance, karmada));
  stopPolling(tools, key);
  await tools.instances.reset(key);
  const memory = tools.instances.get(key);
  return deleteInstance({ ...tools, members, memory }, key, karmada, resolution);
}

/** @returns undefined if the deletion continues, as it does in a terminating Namespace: Kubernetes deletes the Pods there */
async function waitForMembers(
  tools: Tools,
  key: string,
  karmada: Karmada,
  resolution: HostResolution,
): Promise<ReconcileResult | undefined> {
  if (!('host' in resolution) || !demandsConfirmation(karmada)) return undefined;
  if (hasStarted(tools, key, karmada)) return undefined;
  if (await isNamespaceEnding(tools.local, karmada.metadata.namespace ?? '')) return undefined;
  stopPolling(tools, key);
  const { host } = resolution;
  const instance = await instanceOn({ ...tools, host }, key);
  return awaitConfirmation({ ...tools, host }, instance, karmada);
}

/** Whether the deletion has started, by this process or an earlier one. The cached status may be older than that. */
const hasStarted = (
  { instances }: Pick<Tools, 'instances'>,
  key: string,
  { metadata, status = {} }: Karmada,
): boolean => instances.peek(key)?.deletion?.started === metadata.uid || isReported(status);
