/** Rotations of CAs and keys in a control plane whose Pods run. */
import { readFile, writeFile } from 'node:fs/promises';
import { expect } from '@jest/globals';
import { dump, load } from 'js-yaml';
import type { Condition } from '../../src/api/karmada.ts';
import { COMPONENT } from '../../src/api/labels.ts';
import { instanceName } from '../../src/api/naming.ts';
import { REVISION } from '../../src/components/rollout.ts';
import { parseRecord } from '../../src/features/rotation/parse-record.ts';
import { ROTATION_ANNOTATION } from '../../src/features/rotation/record.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { certificateBlocks } from '../../src/untrusted/pem.ts';
import { kubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { conditionOf } from './adopted-karmada.ts';
import { getObject } from './cluster.ts';
import type { ControlPlane } from './control-plane.ts';
import type { InstanceAt } from './etcd-members.ts';
import { runPlugin } from './plugin.ts';
import { underTraffic } from './traffic/traffic.ts';

const DEADLINE = { deadlineMs: 7_200_000, intervalMs: 5_000 };
const REFUSED = ['RotationUnsupported', 'RotationRequestInvalid', 'RotationRecordInvalid'];

/** Requests a rotation with the kubectl plugin. @returns its preview */
export function requestRotation(
  { cluster, name, namespace }: InstanceAt,
  authority: string,
): Promise<string> {
  return runPlugin(cluster, ['rotate', name, authority, '-n', namespace, '--yes']);
}

const rotationOf = (at: InstanceAt): Promise<Condition | undefined> =>
  conditionOf(at, 'CertificateRotation');

/** Waits until only a user can end the overlap. @returns the annotation for that */
export function untilOverlap(at: InstanceAt): Promise<string> {
  return poll(
    'the overlap awaits its end',
    async (seen) => {
      const { reason = '', message = '' } = (await rotationOf(at)) ?? {};
      seen(`${reason}: ${message}`);
      if (REFUSED.includes(reason)) throw new Error(message);
      return /annotate the Karmada with (\S+)/.exec(message)?.[1];
    },
    DEADLINE,
  );
}

/** Ends the overlap as the condition says. */
export async function endOverlap(at: InstanceAt): Promise<void> {
  const { cluster, name, namespace } = at;
  const annotation = await untilOverlap(at);
  await kubectl(cluster, ['annotate', 'karmada', name, '-n', namespace, annotation]);
}

/**
 * Waits until no rotation is under way.
 * @param authority of which one has been requested
 * @param host host cluster of the control plane
 */
export async function untilRotated(
  at: InstanceAt,
  authority: string,
  host = at.cluster,
): Promise<void> {
  await poll(
    `the rotation of ${authority} has ended`,
    async (seen) => {
      const { reason = '', message = '' } = (await rotationOf(at)) ?? {};
      seen(`${reason}: ${message}`);
      if (REFUSED.includes(reason)) throw new Error(message);
      return (await isExecuted({ ...at, cluster: host }, authority)) ? true : undefined;
    },
    DEADLINE,
  );
}

async function isExecuted(
  { cluster, name, namespace }: InstanceAt,
  authority: string,
): Promise<boolean> {
  const secret = instanceName(name, 'ca-backup');
  const { metadata } = await getObject<KubernetesObject>(cluster, 'secret', secret, namespace);
  const record = parseRecord(metadata.annotations?.[ROTATION_ANNOTATION]);
  if ('fault' in record) throw new Error(record.fault);
  const { executed, rotations } = record;
  return rotations.length === 0 && executed.some((one) => one.startsWith(`rotate=${authority}/`));
}

/** Revisions of the Deployments of a control plane, each of which restarts their Pods. */
export type Revisions = ReadonlyMap<string, { readonly component: string; readonly count: number }>;

/** Reads them. */
export async function revisionsIn({ cluster, namespace }: InstanceAt): Promise<Revisions> {
  const text = await kubectl(cluster, ['get', 'deployments', '-n', namespace, '-o', 'json']);
  const { items } = JSON.parse(text) as { items: KubernetesObject[] };
  return new Map(
    items.map(({ metadata: { name, labels = {}, annotations = {} } }) => [
      name,
      { component: labels[COMPONENT] ?? '', count: Number(annotations[REVISION]) },
    ]),
  );
}

/** Restarts of each component between two times; the scheduler estimators of member clusters restart together. */
export const restartsSince = (
  before: Revisions,
  after: Revisions,
): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...after].flatMap(([name, { component, count }]) => {
      const restarts = count - (before.get(name)?.count ?? count);
      return restarts === 0 ? [] : [[component, restarts] as const];
    }),
  );

interface Kubeconfig {
  readonly clusters: { cluster: { 'certificate-authority-data': string } }[];
}

/** Takes all CAs but the active one out of a kubeconfig, as in a copy from before its successor existed. */
export async function keepOneCa({ kubeconfig }: ControlPlane): Promise<void> {
  const config = load(await readFile(kubeconfig, 'utf8')) as Kubeconfig;
  for (const { cluster } of config.clusters) {
    const bundle = Buffer.from(cluster['certificate-authority-data'], 'base64').toString('utf8');
    const [active = ''] = certificateBlocks(bundle);
    cluster['certificate-authority-data'] = Buffer.from(active, 'utf8').toString('base64');
  }
  await writeFile(kubeconfig, dump(config), { mode: 0o600 });
}

/** Names of Secrets with a private key, in the namespace of a control plane and in its API. */
export async function holdersOf(
  at: { readonly cluster: Cluster; readonly namespace: string; readonly plane: ControlPlane },
  key: string,
): Promise<readonly string[]> {
  const [host, inside] = await Promise.all([
    kubectl(at.cluster, ['get', 'secrets', '-n', at.namespace, '-o', 'json']),
    at.plane.kubectl(['get', 'secrets', '-A', '-o', 'json']),
  ]);
  return [host, inside].flatMap((text) => {
    const { items } = JSON.parse(text) as { items: KubernetesObject[] };
    return items.flatMap(({ metadata, ...secret }) =>
      Object.values((secret['data'] ?? {}) as Readonly<Record<string, string>>).some((value) =>
        Buffer.from(value, 'base64').toString('utf8').includes(key.trim()),
      )
        ? [metadata.name]
        : [],
    );
  });
}

/** Runs clients of the control plane while `work` runs. None of their calls may fail. */
export async function underCalls(
  { cluster, plane }: { readonly cluster: Cluster; readonly plane: ControlPlane },
  work: () => Promise<void>,
  callsPerSecond?: number,
): Promise<void> {
  const { failed, lost, unseen } = await underTraffic(cluster, plane, work, callsPerSecond);
  expect(failed).toEqual([]);
  expect([lost, unseen]).toEqual([[], []]);
}

/** Verifies that the API server refuses the client certificate of a kubeconfig. */
export async function verifyRefused(former: ControlPlane): Promise<void> {
  const { code, stderr } = await former.tryKubectl(['get', 'namespaces']);
  expect(code).not.toBe(0);
  expect(stderr).toContain('Unauthorized');
}
