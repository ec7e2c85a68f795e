/**
 * Connection of workloads to an external etcd: pure. New connection settings reach the API servers only after a
 * successful health check. Until then the desired objects keep the current settings, and all other changes apply.
 */
import { ETCD_TRUST_ANNOTATION, ETCD_VOLUME } from '../../components/values.ts';
import {
  isWorkload,
  type Container,
  type PodSpec,
  type Workload,
} from '../../components/workload.ts';
import type { Secret } from '../../kubernetes/objects/kinds.ts';
import { byIdentity, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Problem } from '../../api/reasons/problem.ts';
import { ETCD_PENDING, trustIn } from './external-etcd.ts';
import { movedDataProblem } from './external-data.ts';
import {
  desiredObject,
  type DesiredObjects,
  type DesiredObject,
} from '../../instance/desired-objects.ts';
import { isUnapplied } from '../adoption/handover.ts';
import { isObserved, UNAPPLIED } from '../../components/rollout.ts';
import type { BlockedChange } from '../../instance/blocked-change.ts';
import type { ExternalEtcdSnapshot, Snapshot } from '../../instance/snapshot.ts';

/** Desired objects with usable connection settings, and the blocked change. */
export interface CurrentConnection {
  readonly desired: DesiredObjects;
  readonly blockedChange?: BlockedChange;
}

/** Replaces connection settings that have not passed a health check with the current ones. */
export function keepCurrentConnection(
  desired: DesiredObjects,
  snapshot: Pick<Snapshot, 'karmada' | 'host' | 'externalEtcd'>,
): CurrentConnection {
  const { host, externalEtcd: etcd } = snapshot;
  const foreign = movedDataProblem(snapshot);
  if (etcd === undefined || (isProven(etcd) && foreign === undefined)) return { desired };
  const live = byIdentity(host.objects);
  const change = etcd.check === undefined ? unlessFirst : asItIs;
  const objects = desired.objects.map((item) => change(item, live.get(item.id)));
  if (objects.every((object, index) => object === desired.objects[index])) return { desired };
  return { desired: { ...desired, objects }, blockedChange: holdOf(etcd, foreign) };
}

const isProven = ({ check, copyProblem }: ExternalEtcdSnapshot): boolean =>
  check?.outcome === 'served' && copyProblem === undefined;

function holdOf(
  { check, copyProblem }: ExternalEtcdSnapshot,
  foreign: Problem | undefined,
): BlockedChange {
  const kept =
    'external etcd: new connection settings not applied; the API servers keep the current ones';
  const step = 'etcd';
  if (foreign !== undefined)
    return { step, reason: foreign.reason, message: `${kept}: ${foreign.message}` };
  const isServed = check === undefined || check.outcome === 'served';
  const problem = isServed ? copyProblem : check.problem;
  const { reason, message } = problem ?? { reason: 'EtcdPending', message: ETCD_PENDING };
  return { step, reason, message: `${kept} until a health check succeeds: ${message}` };
}

/** A workload of the Go operator changes once: with the connection that the first health check decides on. */
function unlessFirst(item: DesiredObject, live: KubernetesObject | undefined): DesiredObject {
  const isFirst = live !== undefined && usesEtcd(item, live) && isUnapplied(live);
  return isFirst ? { ...item, untouched: true, hash: UNAPPLIED } : asItIs(item, live);
}

const usesEtcd = ({ cluster, object }: DesiredObject, live: KubernetesObject): boolean =>
  cluster === 'host' && isWorkload(object) && isWorkload(live) && accessOf(live) !== '';

function asItIs(item: DesiredObject, live: KubernetesObject | undefined): DesiredObject {
  const { cluster, step, object } = item;
  if (cluster !== 'host' || live === undefined || !isWorkload(object) || !isWorkload(live))
    return item;
  if (accessOf(object) === accessOf(live)) return item;
  return desiredObject(cluster, step, withAccessOf(object, live));
}

function withAccessOf(object: Workload, live: Workload): Workload {
  const { metadata, spec } = object.spec.template;
  const others = Object.entries(metadata.annotations ?? {}).filter(
    ([name]) => name !== ETCD_TRUST_ANNOTATION,
  );
  const trust = trustIn(live);
  const present = trust === undefined ? [] : [[ETCD_TRUST_ANNOTATION, trust] as const];
  const annotations = Object.fromEntries([...others, ...present]);
  const named = Object.keys(annotations).length > 0;
  const template = {
    metadata: { labels: metadata.labels, ...(named && { annotations }) },
    spec: podWithAccessOf(spec, live.spec.template.spec),
  };
  return { ...object, spec: { ...object.spec, template } };
}

function podWithAccessOf(pod: PodSpec, live: PodSpec): PodSpec {
  const [main, ...others] = pod.containers;
  const [running] = live.containers;
  if (main === undefined || running === undefined) return pod;
  const command = withFlagsOf(main.command ?? [], running.command ?? []);
  const containers: Container[] = [{ ...main, command }, ...others];
  return { ...pod, containers, ...withSecretOf(pod, live) };
}

function withSecretOf({ volumes }: PodSpec, live: PodSpec): Pick<PodSpec, 'volumes'> {
  const { secretName, items } = volumeIn(live)?.secret ?? {};
  const present = { ...(secretName && { secretName }), ...(items && { items }) };
  const replaced = volumes?.map((volume) =>
    volume.name === ETCD_VOLUME ? { ...volume, secret: { ...volume.secret, ...present } } : volume,
  );
  return replaced === undefined ? {} : { volumes: replaced };
}

/**
 * Combines the desired flags with the live etcd flags; keeps the live order if the other flags are equal, so that the
 * Pod template does not change.
 */
function withFlagsOf(command: readonly string[], live: readonly string[]): readonly string[] {
  const rest = command.filter((flag) => !isAboutEtcd(flag));
  const liveRest = live.filter((flag) => !isAboutEtcd(flag));
  if (JSON.stringify(rest) === JSON.stringify(liveRest)) return live;
  const at = command.findIndex(isAboutEtcd);
  return [...rest.slice(0, at), ...live.filter(isAboutEtcd), ...rest.slice(at)];
}

const isAboutEtcd = (flag: string): boolean => flag.startsWith('--etcd-');

type Volume = NonNullable<PodSpec['volumes']>[number];

const volumeIn = ({ volumes = [] }: PodSpec): Volume | undefined =>
  volumes.find(({ name }) => name === ETCD_VOLUME);

/** Fingerprint of the etcd connection of a workload; empty if it does not use etcd. */
function accessOf(workload: Workload): string {
  const { spec } = workload.spec.template;
  const volume = volumeIn(spec);
  if (volume === undefined) return '';
  const flags = (spec.containers[0]?.command ?? []).filter(isAboutEtcd);
  return JSON.stringify([volume.secret?.secretName, trustIn(workload), [...flags].sort()]);
}

/** Whether a Pod may still need this Secret: a workload mounts it, or its rollout is not complete. */
export function isUsed(secret: Secret, objects: readonly KubernetesObject[]): boolean {
  return objects.filter(isWorkload).some((workload) => {
    const { volumes = [] } = workload.spec.template.spec;
    const mounts = volumes.some((volume) => volume.secret?.secretName === secret.metadata.name);
    return mounts || (accessOf(workload) !== '' && isRolling(workload));
  });
}

function isRolling(workload: Workload): boolean {
  const status = workload.status ?? {};
  const { replicas = 0, updatedReplicas = 0 } = status;
  return !isObserved(workload) || updatedReplicas < replicas;
}
