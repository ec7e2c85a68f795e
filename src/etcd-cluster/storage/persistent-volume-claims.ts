/** Selects the etcd PVCs of a control plane. */
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import type { PersistentVolumeClaim } from '../../kubernetes/objects/kinds.ts';
import { instanceName } from '../../api/naming.ts';
import type { ListOptions } from '../../kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { onlyThose } from '../../kubernetes/informers/reduced-list.ts';
import { COMPONENT, INSTANCE } from '../../api/labels.ts';
import { isDataVolume } from '../../components/etcd/data-volume.ts';

/** Ordinal at the end of a name after a prefix; undefined if there is none. */
/** Ordinal at the end of a name. @returns undefined for a name without this prefix or without an ordinal */
export function ordinalAfter(prefix: string, name: string): number | undefined {
  const digits = name.startsWith(prefix) ? name.slice(prefix.length) : '';
  return /^(0|[1-9]\d{0,5})$/.test(digits) ? Number(digits) : undefined;
}

/**
 * Ordinal of the etcd member that owns the PVC with that name, in use or kept by a recovery.
 * @param name `metadata.name` of the Karmada
 * @returns undefined for a different PVC
 */
export function claimOrdinal(name: string, claim: string): number | undefined {
  const volume = claimVolume(name, claim);
  return volume === undefined ? undefined : ordinalAfter(claimPrefix(name, volume), claim);
}

const claimPrefix = (name: string, volume: string): string =>
  `${volume}-${instanceName(name, 'etcd')}-`;

/** Name of the PVC of a Pod, as Kubernetes forms it. @param volume name of the PVC template */
export const podClaimName = (volume: string, pod: string): string => `${volume}-${pod}`;

/** Name of the PVC of a member. @param name `metadata.name` of the Karmada */
export const claimName = (name: string, volume: string, ordinal: number): string =>
  `${claimPrefix(name, volume)}${String(ordinal)}`;

/**
 * Name of the PVC template that an etcd PVC was created from.
 * @param name `metadata.name` of the Karmada
 * @returns undefined for a different PVC
 */
export function claimVolume(name: string, claim: string): string | undefined {
  const [, volume = ''] = /^((?:r\d{1,4}-)?etcd-data)-/.exec(claim) ?? [];
  if (!isDataVolume(volume)) return undefined;
  return ordinalAfter(claimPrefix(name, volume), claim) === undefined ? undefined : volume;
}

/** Selects the PVCs that an etcd uses. A recovery keeps the PVCs of the former cluster under other names. */
export const claimsInUse = (
  claims: readonly PersistentVolumeClaim[],
  name: string,
  volume: string,
): readonly KubernetesObject[] =>
  claims.filter(({ metadata }) => (claimVolume(name, metadata.name) ?? volume) === volume);

/** Ordinal of the etcd member that runs in the Pod with that name. @param name `metadata.name` of the Karmada */
export const podOrdinal = (name: string, pod: string): number | undefined =>
  ordinalAfter(`${instanceName(name, 'etcd')}-`, pod);

/**
 * Options of a list of PVCs that keeps those of an etcd: of its Pods, and those that a recovery keeps. Their names contain that of the
 * StatefulSet. @param name `metadata.name` of the Karmada
 */
export const etcdClaimsOf = (name: string): Pick<ListOptions, 'transform'> =>
  onlyThose(({ metadata }) => metadata.name.includes(`-${instanceName(name, 'etcd')}-`));

/**
 * Whether a PVC has the name of an etcd PVC of this control plane. The StatefulSet sets the name, which is immutable.
 * A PVC that lost its labels still contains data.
 */
export const isNamedClaim = ({ metadata }: KubernetesObject, name: string): boolean =>
  claimOrdinal(name, metadata.name) !== undefined;

/**
 * Whether both name and labels identify a PVC as an etcd PVC of this control plane. Only such a PVC may be deleted.
 */
export function isOwnClaim(claim: PersistentVolumeClaim, name: string): boolean {
  const { labels = {} } = claim.metadata;
  return labels[INSTANCE] === name && labels[COMPONENT] === 'etcd' && isNamedClaim(claim, name);
}

/** Whether a PVC belongs to a Pod of a StatefulSet: its name ends with the name of the Pod. */
export const isClaimOf = (claim: PersistentVolumeClaim, pod: Pod): boolean =>
  claim.metadata.name.endsWith(`-${pod.metadata.name}`);

/** PVCs by the name of their Pod. */
export type ClaimsByPod = ReadonlyMap<string, readonly KubernetesObject[]>;

/** Returns the PVCs of each Pod (`isClaimOf`), in their order, in time that grows with the sum of Pods and PVCs. Pods without a PVC are absent. */
export function claimsByPod(
  claims: readonly PersistentVolumeClaim[],
  pods: readonly Pod[],
): ClaimsByPod {
  const names = new Set(pods.map(({ metadata }) => metadata.name));
  // The names of the Pods of a StatefulSet have few lengths.
  const lengths = [...new Set([...names].map(({ length }) => length))];
  const found = new Map<string, KubernetesObject[]>();
  for (const claim of claims)
    for (const length of lengths) {
      const { name } = claim.metadata;
      const start = name.length - length;
      const pod = name.slice(Math.max(0, start));
      if (name[start - 1] !== '-' || !names.has(pod)) continue;
      const own = found.get(pod);
      if (own === undefined) found.set(pod, [claim]);
      else own.push(claim);
    }
  return found;
}

/** Selects the PVCs that belong to one of the Pods. */
export function claimsOfPods(
  claims: readonly PersistentVolumeClaim[],
  pods: readonly Pod[],
): readonly KubernetesObject[] {
  const found = new Set([...claimsByPod(claims, pods).values()].flat());
  return claims.filter((claim) => found.has(claim));
}

/** Finalizer of a PVC that a Pod uses. */
const IN_USE = 'kubernetes.io/pvc-protection';

/** Finalizers that another controller must remove before Kubernetes can delete the PVC. */
export const blockingFinalizers = ({
  metadata: { finalizers = [] },
}: KubernetesObject): readonly string[] => finalizers.filter((finalizer) => finalizer !== IN_USE);
