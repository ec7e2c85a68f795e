/** Storage-related fields of the etcd StatefulSet: pure. */
import type {
  StatefulSet,
  ClaimTemplate,
  StatefulSetSpec,
} from '../../kubernetes/objects/kinds.ts';
import { DATA_VOLUME, isDataVolume } from '../../components/etcd/data-volume.ts';
import { differences } from '../../kubernetes/objects/compare.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { isObserved } from '../../components/rollout.ts';

export type { ClaimTemplate, StatefulSetSpec } from '../../kubernetes/objects/kinds.ts';

export const specOf = (object: StatefulSet): StatefulSetSpec => object.spec ?? {};

/**
 * Whether an update would change immutable fields of a StatefulSet, or the kind of its volume.
 * @param live live StatefulSet
 */
export function hasOtherStorage(live: KubernetesObject, wanted: KubernetesObject): boolean {
  const [now, then] = [specOf(live), specOf(wanted)];
  return (
    otherClaims(now, then) ||
    hasHostPath(now) !== hasHostPath(then) ||
    differs(now, then, 'serviceName') ||
    differs(now, then, 'selector')
  );
}

/** PVC fields that the user sets; the API server sets defaults in others. */
const CLAIM_FIELDS = [
  'accessModes',
  'dataSource',
  'dataSourceRef',
  'resources',
  'selector',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
  'volumeName',
] as const;

/** Compares in both directions, because a removed field is a change too. */
function otherClaims(now: StatefulSetSpec, then: StatefulSetSpec): boolean {
  const of = (spec: StatefulSetSpec): KubernetesObject =>
    specAsObject({ claims: claimsOf(spec).map(isRequested) });
  const [live, wanted] = [of(now), of(then)];
  return (
    claimsOf(now).length !== claimsOf(then).length ||
    differences(live, wanted).length > 0 ||
    differences(wanted, live).length > 0
  );
}

function isRequested({ metadata, spec = {} }: ClaimTemplate): object {
  const { labels = {}, annotations = {}, finalizers = [] } = metadata ?? {};
  const said = Object.entries({ volumeMode: 'Filesystem', ...spec }).filter(([field]) =>
    CLAIM_FIELDS.some((name) => name === field),
  );
  return { labels, annotations, finalizers, spec: Object.fromEntries(said) };
}

/** A StatefulSet with only a spec, to compare it. */
export const specAsObject = (spec: object): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'x' },
  spec,
});

export const claimsOf = ({ volumeClaimTemplates }: StatefulSetSpec): readonly ClaimTemplate[] =>
  volumeClaimTemplates ?? [];

/** Whether the data outlives the Pod. */
export const isDurable = (spec: StatefulSetSpec): boolean =>
  claimsOf(spec).length > 0 || hasHostPath(spec);

/** Whether the live field lacks a part of the desired one. */
function differs(
  now: StatefulSetSpec,
  then: StatefulSetSpec,
  field: keyof StatefulSetSpec,
): boolean {
  const of = (spec: StatefulSetSpec): KubernetesObject => specAsObject({ [field]: spec[field] });
  return differences(of(now), of(then)).length > 0;
}

/** Name of the PVC template; the default unless a recovery chose it. */
export function volumeOf(spec: StatefulSetSpec): string {
  const name = claimsOf(spec)[0]?.metadata?.name ?? DATA_VOLUME;
  return isDataVolume(name) ? name : DATA_VOLUME;
}

const hasHostPath = (spec: StatefulSetSpec): boolean => hostPathOf(spec) !== undefined;

/** Data path on the node; undefined if the volume is not a hostPath. */
export function hostPathOf({ template }: StatefulSetSpec): string | undefined {
  const { volumes = [] } = template?.spec ?? {};
  const data = volumes.find(({ name }) => name === DATA_VOLUME);
  return data?.hostPath && (data.hostPath.path ?? '');
}

/** Revision of the current template; undefined until the controller has observed the last change. */
export function settledRevision(live: StatefulSet): string | undefined {
  const status = live.status ?? {};
  return isObserved(live) ? status.updateRevision : undefined;
}
