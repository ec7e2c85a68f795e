/**
 * Keeps Pods off a cluster that do not meet the restricted Pod Security Standard, if the administrator asks for that: pure. For host
 * clusters without Pod Security Admission, where the settings of a Karmada could otherwise give access to nodes.
 */
import { listed } from '../../api/listed.ts';
import { restrictedViolations } from '../../components/pod-security.ts';
import { isWorkload } from '../../components/workload.ts';
import { APPLIED_HASH } from '../../kubernetes/objects/compare.ts';
import { byIdentity, nameOf, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { BlockedChange } from '../../instance/blocked-change.ts';
import type { DesiredObject, DesiredObjects } from '../../instance/desired-objects.ts';
import { UNAPPLIED } from '../../components/rollout.ts';
import type { Snapshot } from '../../instance/snapshot.ts';

/** Desired objects without those that are refused, and why. */
export interface AllowedPods {
  readonly desired: DesiredObjects;
  readonly blockedChanges: readonly BlockedChange[];
}

/** Refuses new Pod templates that violate the standard. A workload that runs with one keeps running. */
export function withAllowedPods(
  desired: DesiredObjects,
  { host, tenantPods }: Pick<Snapshot, 'host' | 'tenantPods'>,
): AllowedPods {
  if (tenantPods !== 'Restricted') return { desired, blockedChanges: [] };
  const live = byIdentity(host.objects);
  const blockedChanges: BlockedChange[] = [];
  const objects = desired.objects.map((item) => {
    const applied = appliedHash(live.get(item.id));
    const isWritten = item.untouched !== true && applied !== item.hash;
    const message = isWritten ? refusalOf(item) : undefined;
    if (message === undefined) return item;
    const { step } = item;
    blockedChanges.push({ step, reason: 'PodsNotAllowed', message, blocksLaterStages: true });
    return { ...item, untouched: true as const, hash: applied ?? UNAPPLIED };
  });
  return { desired: { ...desired, objects }, blockedChanges };
}

const appliedHash = (object: KubernetesObject | undefined): string | undefined =>
  object?.metadata.annotations?.[APPLIED_HASH];

function refusalOf({ cluster, object }: DesiredObject): string | undefined {
  if (cluster !== 'host' || !isWorkload(object)) return undefined;
  const { metadata, spec } = object.spec.template;
  const found = restrictedViolations(spec, metadata.annotations);
  if (found.length === 0) return undefined;
  return `${nameOf(object)}: the operator runs with --tenant-pods=Restricted, and its Pods would not meet the restricted Pod Security Standard: ${listed(found).join('; ')}; correct spec.podSettings, or the annotations, volumes and containers in spec.components`;
}
