/**
 * Restarts of Pods whose template has the hash of the present certificates already: they may have read other ones at their start. The
 * hash in the template gets the time of the content, and keeps it until the certificates change. Pure functions.
 */
import { CATALOG, type ComponentName } from '../../api/component-catalog.ts';
import { COMPONENT } from '../../api/labels.ts';
import { CERTIFICATES_HASH_ANNOTATION } from '../../components/overlay.ts';
import { isWorkload } from '../../components/workload.ts';
import type { CertificatesView, Snapshot } from '../../instance/snapshot.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { keysOf } from '../../kubernetes/objects/records.ts';
import type { RotationFacts } from './facts.ts';
import type { Rotation } from './record.ts';
import type { RotationStep } from './step.ts';

type Hashes = CertificatesView['restartHashes'];
type Restart = Extract<RotationStep, { readonly kind: 'restart' }>;
type Live = Pick<Snapshot['host'], 'objects'>;

/** Wall clock in milliseconds. */
const MARK = /^\.(\d{1,15})$/;

/** Returns the time in the hash of a Pod template. @returns undefined if it is the hash of other certificates, or has no time */
function markOf(applied: string, hash: string): number | undefined {
  if (!applied.startsWith(hash)) return undefined;
  const [, time] = MARK.exec(applied.slice(hash.length)) ?? [];
  return time === undefined ? undefined : Number(time);
}

/** Whether Pods of a template have these certificates, restarted or not. */
export const hasHash = (applied: string | undefined, hash: string | undefined): boolean =>
  applied === hash ||
  (applied !== undefined && hash !== undefined && markOf(applied, hash) !== undefined);

const appliedHashes = ({ objects }: Live, name: ComponentName): readonly string[] =>
  objects.filter((one) => one.metadata.labels?.[COMPONENT] === name).flatMap(appliedHash);

const appliedHash = (object: KubernetesObject): string | readonly never[] =>
  (isWorkload(object)
    ? object.spec.template.metadata.annotations?.[CERTIFICATES_HASH_ANNOTATION]
    : undefined) ?? [];

/** Returns the hashes with the time of the last restart: that which the Pods have, or a later one of a rotation. */
export function withRestarts(
  hashes: Hashes,
  { rotation, host }: Pick<Snapshot, 'rotation' | 'host'>,
): Hashes {
  const marked = keysOf(hashes).map((name) => {
    const hash = hashes[name] ?? '';
    const known = appliedHashes(host, name).map((applied) => markOf(applied, hash) ?? 0);
    const time = name === 'etcd' ? 0 : Math.max(0, rotation?.restarts?.get(name) ?? 0, ...known);
    return [name, time === 0 ? hash : `${hash}.${String(time)}`] as const;
  });
  return Object.fromEntries(marked);
}

/** Components of a step that restarts Pods. */
export interface RestartedComponents {
  /** Those that the operator restarts, with the time of the content. */
  readonly own: ReadonlyMap<ComponentName, number>;
  /** Those that a user must restart. */
  readonly others: readonly ComponentName[];
}

/**
 * Says who restarts the Pods of a step. The first phase restarts nothing by itself, because the preview of the request names no restart for it.
 * etcd restarts only for what its members trust. A component that the operator has restarted in vain needs a user.
 */
export function restartedComponents(
  { pods, authority }: Restart,
  { record, authorities }: Pick<RotationFacts, 'record' | 'authorities'>,
  host: Live,
): RestartedComponents {
  const rotations = 'fault' in record ? [] : record.rotations;
  const rotation = rotations.find((one) => one.authority === authority);
  const facts = authorities.find((one) => one.authority === authority);
  const items = facts?.pods.items.filter((pod) => pods.includes(pod.name)) ?? [];
  const named = CATALOG.filter(({ suffix }) =>
    items.some(({ component }) => component === suffix),
  ).map((one) => one.name);
  const time = rotation && timeOf(rotation);
  const isOwn = (name: ComponentName): boolean =>
    name !== 'etcd' && time !== undefined && !isRestarted(appliedHashes(host, name), time);
  const own = named.filter(isOwn).map((name) => [name, time ?? 0] as const);
  return { own: new Map(own), others: named.filter((name) => !isOwn(name)) };
}

/** @returns undefined if the operator restarts nothing by itself */
const timeOf = ({ phase, returns, writtenAt }: Rotation): number | undefined =>
  phase === 'Preparing' && returns !== true ? undefined : writtenAt;

const isRestarted = (applied: readonly string[], time: number): boolean =>
  applied.length > 0 && applied.every((one) => one.endsWith(`.${String(time)}`));
