/** Observes the Karmada API of a control plane: whether its API server is ready, and the objects in it. */
import { instanceName } from '../../api/naming.ts';
import type { Karmada } from '../../api/karmada.ts';
import { COMPONENT } from '../../api/labels.ts';
import type { Problem } from '../../api/reasons/problem.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import type { ControlPlaneClient } from '../../control-plane-access/control-plane-client.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import { podsDigest } from '../../control-plane-access/pods-digest.ts';
import { apiServerAddresses } from '../reachability/api-server-dialer.ts';
import type { ControlPlaneSnapshot, HostSnapshot } from '../../instance/snapshot.ts';
import { runningVersion } from '../versions/observe-version.ts';

const UNREAD: ControlPlaneSnapshot = {
  state: 'syncing',
  message: 'initial read not complete',
  objects: [],
};

/** The initial reads are in progress. Without a failed call they may take long, if many control planes are read at once. */
const unread = (client: ControlPlaneClient | undefined): ControlPlaneSnapshot =>
  client?.problem === undefined ? { ...UNREAD, isReading: true } : UNREAD;

const waiting = (message: string, problem?: Problem): ControlPlaneSnapshot => ({
  state: 'waiting',
  message,
  objects: [],
  ...(problem && { problem }),
});

/** Returns why the cache of the control plane must not be used; undefined if it may be used. */
function unusableOf({ overflow, stale }: ControlPlaneClient): ControlPlaneSnapshot | undefined {
  if (overflow !== undefined)
    return waiting(overflow, { reason: 'ControlPlaneLimitExceeded', message: overflow });
  if (stale === undefined) return undefined;
  const message = `control plane: the operator cannot watch it (${stale}); check its API server`;
  return { ...UNREAD, message, unobserved: { reason: 'ControlPlaneNotObserved', message } };
}

const isApiServer = ({ metadata }: KubernetesObject): boolean =>
  metadata.labels?.[COMPONENT] === 'karmada-apiserver';

/** Returns why the caches of the control plane are not read; undefined if its API server is ready and read. */
function unreadyOf(
  client: ControlPlaneClient,
  pods: readonly Pod[],
): ControlPlaneSnapshot | undefined {
  const { started, problem, readiness } = client;
  if (started && problem === undefined) return undefined;
  // The lists that start now fail as a check would, and then the gate of the caches has it checked.
  const found = readiness.current(podsDigest(pods.filter(isApiServer)), started);
  if (found === 'unknown') return unread(client);
  if (found === 'ready') return started ? undefined : { ...unread(client), isAnswering: true };
  const { message, problem: cause, listens } = found.refusal;
  return { ...waiting(message, cause), ask: true, ...(listens && { listens }) };
}

/** Reads the state of the Karmada API of a control plane. */
export async function observeControlPlane(
  instance: InstanceCache,
  karmada: Karmada,
  { objects, pods }: HostSnapshot,
): Promise<ControlPlaneSnapshot> {
  const { controlPlane } = instance;
  const name = instanceName(karmada.metadata.name, 'apiserver');
  const workload = objects.find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name === name,
  );
  if (controlPlane === undefined) return unread(controlPlane);
  if (apiServerAddresses(pods).length === 0)
    return waiting('no Pod of karmada-apiserver is running yet');
  const unusable = unreadyOf(controlPlane, pods) ?? unusableOf(controlPlane);
  if (unusable !== undefined) return unusable;
  const version = await runningVersion(instance, controlPlane, { workload, pods });
  if (!controlPlane.hasSynced) return { ...unread(controlPlane), ...version };
  return { state: 'ready', message: '', objects: controlPlane.objects(), ...version };
}
