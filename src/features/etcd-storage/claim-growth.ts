/**
 * Growth of the PVCs of a local etcd after `spec` asks for more storage: pure. The PVCs are expanded first. Then the
 * StatefulSet, whose PVC template is immutable, is deleted without its Pods and created again.
 */
import type {
  ClaimSpec,
  PersistentVolumeClaim,
  StatefulSet,
  StorageClass,
} from '../../kubernetes/objects/kinds.ts';
import type { Reason } from '../../api/reasons/condition-reasons.ts';
import type { Warning } from '../../api/warnings/warning.ts';
import { isTerminating, nameOf, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import { parseQuantity } from '../../kubernetes/objects/quantity.ts';
import type { BlockedChange } from '../../instance/blocked-change.ts';
import type { DesiredObject } from '../../instance/desired-objects.ts';
import { isPaused, PAUSE_REPAIR } from '../../instance/pause.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { isOwnClaim } from '../../etcd-cluster/storage/persistent-volume-claims.ts';
import {
  claimsOf,
  hasOtherStorage,
  specOf,
  type ClaimTemplate,
} from '../../etcd-cluster/pods/stateful-set.ts';

/** Permission to expand a PVC. */
export const EXPAND_RIGHT = 'patch persistentvolumeclaims';

/** Objects that the growth depends on: from the cache, or read just now. */
export interface GrowthObjects {
  readonly statefulSet: StatefulSet;
  readonly claims: readonly PersistentVolumeClaim[];
  /** Undefined if the operator must not read them. */
  readonly storageClasses?: readonly StorageClass[];
}

export type ClaimGrowth =
  | { readonly kind: 'blocked'; readonly blockedChange: BlockedChange }
  /** Request this storage for these PVCs. */
  | {
      readonly kind: 'expand';
      readonly claims: readonly PersistentVolumeClaim[];
      readonly storage: string;
    }
  /** Delete the StatefulSet without its Pods, so that it is created with the desired PVC template. */
  | { readonly kind: 'recreate' };

/** Requested storage of a PVC or PVC template. */
const requestIn = (spec: ClaimSpec | undefined): string | undefined => {
  const storage = spec?.resources?.requests?.storage;
  return storage === undefined ? undefined : String(storage);
};

const sizeOf = (quantity: string | number | undefined): bigint =>
  parseQuantity(String(quantity ?? '')) ?? 0n;

/** Sizes in the PVC templates of the live and the desired StatefulSet. */
interface SizeChange {
  readonly from: string;
  readonly to: string;
}

/** @returns undefined unless the requested storage is the only difference of the storage */
function sizeChange(statefulSet: StatefulSet, wanted: KubernetesObject): SizeChange | undefined {
  const [now, then] = [statefulSet, wanted].map((object) => claimsOf(specOf(object))[0]);
  const [from, to] = [requestIn(now?.spec), requestIn(then?.spec)];
  if (now === undefined || then === undefined || from === undefined || to === undefined)
    return undefined;
  if (sizeOf(from) === sizeOf(to) || hasOtherStorage(statefulSet, withSize(wanted, then, from)))
    return undefined;
  return { from, to };
}

function withSize(
  wanted: KubernetesObject,
  template: ClaimTemplate,
  storage: string,
): KubernetesObject {
  const { resources } = template.spec ?? {};
  const requests = { ...resources?.requests, storage };
  const spec = { ...template.spec, resources: { ...resources, requests } };
  return { ...wanted, spec: { ...specOf(wanted), volumeClaimTemplates: [{ ...template, spec }] } };
}

/**
 * Decides the next step of a growth.
 * @param name `metadata.name` of the Karmada
 * @param missingRights permissions that the operator lacks on the host cluster
 * @returns undefined if the size of the PVCs does not change
 */
export function claimGrowth(
  name: string,
  { object: wanted }: DesiredObject,
  { statefulSet, claims, storageClasses }: GrowthObjects,
  missingRights: readonly string[] = [],
): ClaimGrowth | undefined {
  const change = sizeChange(statefulSet, wanted);
  if (change === undefined) return undefined;
  if (sizeOf(change.to) < sizeOf(change.from))
    return blocked('EtcdStorageBlocked', shrinks(change));
  const own = claims.filter((claim) => isOwnClaim(claim, name) && !isTerminating(claim));
  const small = own.filter(({ spec }) => sizeOf(requestIn(spec)) < sizeOf(change.to));
  if (small.length === 0) return { kind: 'recreate' };
  const refusal =
    refusalOf(small, storageClasses, change) ??
    (missingRights.includes(EXPAND_RIGHT) ? LACKS_RIGHT : undefined);
  return refusal ?? { kind: 'expand', claims: small, storage: change.to };
}

const FIELD = 'spec.components.etcd.local.volumeData.volumeClaim.spec.resources.requests.storage';

const blocked = (reason: Reason, message: string): ClaimGrowth => ({
  kind: 'blocked',
  blockedChange: { step: 'etcd', reason, message },
});

const LACKS_RIGHT = blocked(
  'HostRightsMissing',
  `etcd: the PVCs are not expanded, because the operator lacks the permission to ${EXPAND_RIGHT}; apply the current role`,
);

const shrinks = ({ from, to }: SizeChange): string =>
  `${FIELD}: Kubernetes cannot shrink a PVC from ${from} to ${to}; set it back to ${from}`;

/** Reason why these PVCs cannot be expanded now. */
function refusalOf(
  claims: readonly PersistentVolumeClaim[],
  classes: readonly KubernetesObject[] | undefined,
  { from, to }: SizeChange,
): ClaimGrowth | undefined {
  const paused = claims.find(isPaused);
  if (paused !== undefined)
    return blocked(
      'RepairPaused',
      `${nameOf(paused)}: not expanded to ${to}, because of its annotation ${PAUSE_REPAIR}=true; without the annotation the operator continues`,
    );
  if (classes === undefined)
    return blocked(
      'EtcdVolumeExpansionBlocked',
      `etcd: the PVCs are not expanded to ${to}, because the operator must not read StorageClasses; grant it this permission, or set ${FIELD} back to ${from}`,
    );
  const expandable = new Set(classes.filter(allowsExpansion).map(({ metadata }) => metadata.name));
  const rigid = claims.find((claim) => !expandable.has(classOf(claim)));
  if (rigid === undefined) return undefined;
  const called = classOf(rigid);
  const cause =
    called === '' ? 'it has no StorageClass' : `StorageClass ${called} has no allowVolumeExpansion`;
  const remedy =
    called === '' ? '' : `set allowVolumeExpansion: true there if its volumes can be expanded, or `;
  return blocked(
    'EtcdVolumeExpansionBlocked',
    `${nameOf(rigid)}: not expanded to ${to}, because ${cause}; ${remedy}set ${FIELD} back to ${from}`,
  );
}

const classOf = ({ spec }: PersistentVolumeClaim): string => spec?.storageClassName ?? '';

const allowsExpansion = ({ allowVolumeExpansion }: StorageClass): boolean =>
  allowVolumeExpansion === true;

/** Describes the PVCs of etcd whose volumes are smaller than requested, such as `claim (8Gi of 16Gi, Resizing)`. */
export const pendingExpansions = (
  name: string,
  claims: readonly PersistentVolumeClaim[],
): readonly string[] =>
  claims.filter((claim) => isOwnClaim(claim, name)).flatMap((claim) => pendingIn(claim) ?? []);

/** @returns undefined if the volume has the requested size */
function pendingIn(claim: PersistentVolumeClaim): string | undefined {
  const { status = {} } = claim;
  const requested = requestIn(claim.spec) ?? '';
  const actual = status.phase === 'Bound' ? status.capacity?.['storage'] : undefined;
  if (actual === undefined || sizeOf(actual) >= sizeOf(requested)) return undefined;
  const { conditions = [], allocatedResourceStatuses = {} } = status;
  const states = conditions.filter((condition) => condition.status === 'True');
  const words = [
    ...states.map(({ type }) => type),
    allocatedResourceStatuses['storage'] ?? [],
  ].flat();
  return `${claim.metadata.name} (${[`${actual} of ${requested}`, ...words].join(', ')})`;
}

/** PVCs of a local etcd that are not expanded yet. */
export function expansionWarnings({ karmada, host, spec }: Snapshot): readonly Warning[] {
  if (spec.components.etcd.local === undefined) return [];
  const pending = pendingExpansions(karmada.metadata.name, host.claims);
  if (pending.length === 0) return [];
  const message = `PersistentVolumeClaim ${pending.join(', ')}: the volume is smaller than requested; if it stays so, read the Events of the PVC.`;
  return [{ reason: 'EtcdVolumeExpanding', message }];
}
