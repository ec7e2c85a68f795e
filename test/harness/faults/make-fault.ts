/** Creates and removes the control plane of a fault. */
import { kubectl, tryKubectl, type Cluster } from '../../../tools/embedded-cluster/cluster.ts';
import type { CommandResult } from '../../../tools/embedded-cluster/command.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { apply } from '../cluster.ts';
import { openControlPlane, untilReady } from '../control-plane.ts';
import type { Fault, Later } from './fault.ts';
import { NAME, namespaceOf, objectsOf } from './named-fault.ts';

/** Deadline of a control plane that becomes Ready before its fault, while others are installed. */
const READY_MS = 480_000;

/** Creates the Namespace, the objects and the Karmada, without what happens later. */
export async function createFault(cluster: Cluster, fault: Fault): Promise<void> {
  const namespace = namespaceOf(fault);
  const { namespace: home, karmada } = objectsOf(fault);
  await apply(cluster, home);
  await createIn(cluster, namespace, (await fault.objects?.(namespace)) ?? []);
  await apply(cluster, karmada);
  if (fault.later === undefined) return;
  await untilReady(cluster, NAME, namespace, READY_MS);
  await makeLater(cluster, namespace, fault.later);
}

async function createIn(
  cluster: Cluster,
  namespace: string,
  objects: readonly object[],
): Promise<void> {
  for (const object of objects)
    await kubectl(cluster, ['create', '-n', namespace, '-f', '-'], JSON.stringify(object));
}

async function makeLater(cluster: Cluster, namespace: string, later: Later): Promise<void> {
  const { objects, inControlPlane, rejected, patch, deletes } = later;
  const inHost: Kubectl = (args, input) => tryKubectl(cluster, ['-n', namespace, ...args], input);
  await createIn(cluster, namespace, objects?.(namespace) ?? []);
  if (inControlPlane === undefined) await untilRejected(inHost, rejected);
  else await makeInControlPlane(cluster, namespace, later);
  const inNamespace = ['-n', namespace];
  if (patch !== undefined) {
    const merged = ['--type=merge', '-p', JSON.stringify({ spec: patch })];
    await kubectl(cluster, ['patch', 'karmada', NAME, ...inNamespace, ...merged]);
  }
  if (deletes !== undefined)
    await kubectl(cluster, ['delete', ...inNamespace, '--wait=false', ...deletes]);
}

async function makeInControlPlane(
  cluster: Cluster,
  namespace: string,
  { inControlPlane = [], rejected, deletesInControlPlane }: Later,
): Promise<void> {
  const controlPlane = await openControlPlane(cluster, NAME, namespace);
  for (const object of inControlPlane)
    await controlPlane.kubectl(['create', '-f', '-'], JSON.stringify(object));
  await untilRejected((args, input) => controlPlane.tryKubectl(args, input), rejected);
  if (deletesInControlPlane !== undefined)
    await controlPlane.kubectl(['delete', ...deletesInControlPlane]);
}

type Kubectl = (args: readonly string[], input?: string) => Promise<CommandResult>;

/** An API server applies webhook configurations and quotas some time after their creation. */
async function untilRejected(tryIt: Kubectl, rejected: object | undefined): Promise<void> {
  if (rejected === undefined) return;
  const dryRun = ['create', '--dry-run=server', '-f', '-'];
  await poll('the API server rejects the object', async (note) => {
    const { code, stdout, stderr } = await tryIt(dryRun, JSON.stringify(rejected));
    note(stdout + stderr);
    return code !== 0 && /dead\.example\.com|quota/.test(stderr) ? true : undefined;
  });
}

/** Removes the control plane and the objects of the fault. Never throws: the next run removes what is left. */
export async function removeFault(cluster: Cluster, fault: Fault): Promise<void> {
  const namespace = namespaceOf(fault);
  const clusterScoped = ['validatingwebhookconfiguration,persistentvolume', namespace];
  await tryKubectl(cluster, ['delete', ...clusterScoped, '--ignore-not-found', '--wait=false']);
  await tryKubectl(cluster, ['delete', 'karmada', '--all', '-n', namespace, '--timeout=90s']);
  const rest = ['namespace', namespace, '--ignore-not-found', '--timeout=120s'];
  await tryKubectl(cluster, ['delete', ...rest]);
}
