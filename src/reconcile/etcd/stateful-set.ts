/** What of etcd's StatefulSet has to do with its data: pure. */
import { differences } from '../../kubernetes/compare.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';

/** A claim as a StatefulSet makes it. */
export interface ClaimTemplate {
  readonly metadata?: {
    readonly labels?: object;
    readonly annotations?: object;
    readonly finalizers?: readonly string[];
  };
  readonly spec?: object;
}

/** What of a StatefulSet's spec decides about data. */
export interface StatefulSetSpec {
  readonly replicas?: number;
  readonly serviceName?: string;
  readonly podManagementPolicy?: string;
  readonly selector?: object;
  readonly template?: {
    readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
    readonly spec?: {
      readonly containers?: readonly {
        readonly command?: readonly string[];
        readonly args?: readonly string[];
      }[];
    };
  };
  readonly volumeClaimTemplates?: readonly ClaimTemplate[];
}

export const specOf = (object: KubernetesObject): StatefulSetSpec =>
  (object['spec'] ?? {}) as StatefulSetSpec;

/**
 * Whether a StatefulSet would be changed in fields that cannot change, or in the kind of its volume, which must not.
 * @param live as it is
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

/** Fields of a claim that are the user's; others are filled in by the API server. */
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

/** Looked at from both sides: a field that is taken away is another claim, too. */
function otherClaims(now: StatefulSetSpec, then: StatefulSetSpec): boolean {
  const of = (spec: StatefulSetSpec): KubernetesObject =>
    specAsObject({ claims: claimsOf(spec).map(asked) });
  const [live, wanted] = [of(now), of(then)];
  return (
    claimsOf(now).length !== claimsOf(then).length ||
    differences(live, wanted).length > 0 ||
    differences(wanted, live).length > 0
  );
}

function asked({ metadata, spec = {} }: ClaimTemplate): object {
  const { labels = {}, annotations = {}, finalizers = [] } = metadata ?? {};
  const said = Object.entries({ volumeMode: 'Filesystem', ...spec }).filter(([field]) =>
    (CLAIM_FIELDS as readonly string[]).includes(field),
  );
  return { labels, annotations, finalizers, spec: Object.fromEntries(said) };
}

const specAsObject = (spec: object): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'x' },
  spec,
});

export const claimsOf = ({ volumeClaimTemplates }: StatefulSetSpec): readonly ClaimTemplate[] =>
  volumeClaimTemplates ?? [];

/** Whether data outlives the pod. */
export const isDurable = (spec: StatefulSetSpec): boolean =>
  claimsOf(spec).length > 0 || hasHostPath(spec);

/** Whether the live value of a field lacks something of the wanted one. */
function differs(
  now: StatefulSetSpec,
  then: StatefulSetSpec,
  field: keyof StatefulSetSpec,
): boolean {
  const of = (spec: StatefulSetSpec): KubernetesObject => specAsObject({ [field]: spec[field] });
  return differences(of(now), of(then)).length > 0;
}

const hasHostPath = (spec: StatefulSetSpec): boolean => hostPathOf(spec) !== undefined;

interface HostPathVolume {
  readonly name?: string;
  readonly hostPath?: { readonly path?: string };
}

/** Path on its node below which a member keeps its data; undefined when it keeps it elsewhere. */
export function hostPathOf({ template }: StatefulSetSpec): string | undefined {
  const { volumes = [] } = (template?.spec ?? {}) as { volumes?: readonly HostPathVolume[] };
  const data = volumes.find(({ name }) => name === 'etcd-data');
  return data?.hostPath && (data.hostPath.path ?? '');
}

/** The revision members should have; undefined while the controller has not seen the last change. */
export function settledRevision(live: KubernetesObject): string | undefined {
  const status = (live['status'] ?? {}) as { updateRevision?: string; observedGeneration?: number };
  const seen = (status.observedGeneration ?? 0) >= (live.metadata.generation ?? 0);
  return seen ? status.updateRevision : undefined;
}
