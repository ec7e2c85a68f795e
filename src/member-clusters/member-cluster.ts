/** Member clusters of a control plane, and the selection of those with an estimator. Pure functions. */
import type { Problem } from '../api/reasons/problem.ts';
import { estimatorName, maxClusterNameLength } from '../api/naming.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { clusterType, type ObjectKey, type ResourceType } from '../kubernetes/objects/resources.ts';
import { fieldsOf, flag, objectWith, text, texts } from '../kubernetes/shapes/shape.ts';
import { readyCondition } from './cluster-state.ts';

/** Member cluster in push mode. The control plane connects to it, so an estimator can do so as well. */
export interface MemberCluster {
  readonly name: string;
  readonly uid: string;
  /** URL of its API server. */
  readonly server: string;
  readonly insecure: boolean;
  readonly proxyUrl?: string;
  /** Whether its proxy requires headers, which a kubeconfig cannot contain. */
  readonly proxyHeader: boolean;
  /** Secret in the control plane with the keys `token` and `caBundle`. */
  readonly secret?: Required<ObjectKey>;
}

/** Used fields of the `spec` of a Cluster. */
interface ClusterSpec {
  readonly syncMode?: string;
  readonly apiEndpoint?: string;
  readonly insecureSkipTLSVerification?: boolean;
  readonly proxyURL?: string;
  readonly proxyHeader?: Readonly<Record<string, string>>;
  readonly secretRef?: { readonly namespace?: string; readonly name?: string };
}

/** A member cluster in the Karmada API. */
export interface Cluster extends KubernetesObject {
  readonly spec?: ClusterSpec;
}

/** Type of the Cluster objects in a control plane, one per member cluster. */
export const clusters: ResourceType<Cluster> = {
  ...clusterType('cluster.karmada.io/v1alpha1', 'Cluster', 'clusters'),
  shape: objectWith<Cluster>({
    spec: fieldsOf({
      syncMode: text,
      apiEndpoint: text,
      insecureSkipTLSVerification: flag,
      proxyURL: text,
      proxyHeader: texts,
      secretRef: fieldsOf({ namespace: text, name: text }),
    }),
  }),
};

/**
 * Reduces a Cluster for the cache. Of the status, which changes every few seconds, it keeps only the condition Ready
 * without its message.
 */
export function reduceCluster(cluster: Cluster): Cluster {
  const ready = readyCondition(cluster);
  const { syncMode, apiEndpoint, insecureSkipTLSVerification, proxyURL, proxyHeader, secretRef } =
    cluster.spec ?? {};
  return {
    apiVersion: cluster.apiVersion,
    kind: cluster.kind,
    metadata: cluster.metadata,
    spec: { syncMode, apiEndpoint, insecureSkipTLSVerification, proxyURL, proxyHeader, secretRef },
    ...(ready && { status: { conditions: [ready] } }),
  };
}

/** Returns whether two reduced Clusters are equal except for metadata that changes with each status update. */
export function sameCluster(one: KubernetesObject, other: KubernetesObject): boolean {
  const comparable = ({ metadata, ...object }: KubernetesObject): string =>
    JSON.stringify([metadata.uid, metadata.deletionTimestamp, object['spec'], object['status']]);
  return comparable(one) === comparable(other);
}

/** Returns the member cluster of a Cluster object. Undefined in pull mode and during deletion. */
export function memberClusterOf({ metadata, spec = {} }: Cluster): MemberCluster | undefined {
  if (spec.syncMode !== 'Push' || metadata.deletionTimestamp !== undefined) return undefined;
  return {
    name: metadata.name,
    uid: metadata.uid ?? '',
    server: spec.apiEndpoint ?? '',
    insecure: spec.insecureSkipTLSVerification === true,
    ...(spec.proxyURL && { proxyUrl: spec.proxyURL }),
    proxyHeader: Object.keys(spec.proxyHeader ?? {}).length > 0,
    ...secretOf(spec),
  };
}

function secretOf({ secretRef }: ClusterSpec): Pick<MemberCluster, 'secret'> {
  const { namespace, name } = secretRef ?? {};
  return namespace && name ? { secret: { namespace, name } } : {};
}

export interface Selection {
  /** Member clusters that get an estimator, sorted by name. */
  readonly chosen: readonly MemberCluster[];
  /** Requested member clusters that cannot have an estimator, with the reason. */
  readonly refused: ReadonlyMap<string, Problem>;
}

/**
 * Estimators of a control plane whose spec does not name their member clusters. The administrators of the control plane create the
 * Clusters, but the Pods run in the namespace of the Karmada object. Karmada is tested with up to 100 member clusters.
 */
export const MAX_ESTIMATORS = 100;

export interface EstimatorSelector {
  /** Names from the spec; empty selects all in push mode, up to `MAX_ESTIMATORS`. */
  readonly clusters?: readonly string[] | undefined;
  /** Names of the member clusters that have an estimator. They keep it, also above the maximum. */
  readonly existing: ReadonlySet<string>;
}

/**
 * Selects the member clusters that get an estimator.
 * @param objects all Cluster objects of the control plane
 */
export function selectMembers(
  karmadaName: string,
  objects: readonly KubernetesObject[],
  { clusters: wanted = [], existing }: EstimatorSelector,
): Selection {
  const possible = possibleMembers(karmadaName, objects, wanted);
  return wanted.length > 0 ? possible : limited(possible, existing);
}

/** Existing estimators first, then the member clusters in the order of their names. */
function limited({ chosen, refused }: Selection, existing: ReadonlySet<string>): Selection {
  const count = chosen.filter(({ name }) => existing.has(name)).length;
  const further = chosen.filter(({ name }) => !existing.has(name));
  const excess = further.slice(Math.max(0, MAX_ESTIMATORS - count));
  if (excess.length === 0) return { chosen, refused };
  const names = new Set(excess.map(({ name }) => name));
  return {
    chosen: chosen.filter(({ name }) => !names.has(name)),
    refused: new Map([...refused, ...excess.map(({ name }) => [name, LIMIT_EXCEEDED] as const)]),
  };
}

const LIMIT_EXCEEDED: Problem = {
  reason: 'EstimatorLimitExceeded',
  message: `the operator creates at most ${MAX_ESTIMATORS} estimators, unless spec.components.karmadaSchedulerEstimator.clusters names their member clusters; name there the member clusters that need one`,
};

function possibleMembers(
  karmadaName: string,
  objects: readonly KubernetesObject[],
  wanted: readonly string[],
): Selection {
  const members = objects.flatMap((object) => memberClusterOf(object) ?? []);
  const known = new Map(members.map((member) => [member.name, member]));
  const names = wanted.length > 0 ? [...new Set(wanted)] : [...known.keys()];
  const chosen: MemberCluster[] = [];
  const refused = new Map<string, Problem>();
  for (const name of names.sort()) {
    const member = known.get(name);
    const problem = member ? obstacle(karmadaName, member) : NOT_FOUND;
    if (problem !== undefined) refused.set(name, problem);
    else if (member !== undefined) chosen.push(member);
  }
  return { chosen, refused };
}

const NOT_FOUND: Problem = {
  reason: 'MemberNotFound',
  message: 'the control plane has no Cluster of this name in push mode',
};

/** Returns why a member cluster cannot have an estimator, as far as its Cluster object shows. */
function obstacle(karmadaName: string, member: MemberCluster): Problem | undefined {
  const limit = maxClusterNameLength(karmadaName);
  if (member.name.length > limit)
    return {
      reason: 'NameTooLong',
      message: `the Service name of its estimator, ${estimatorName(karmadaName, member.name)}, exceeds 63 characters; join the member cluster with a name of at most ${limit} characters`,
    };
  if (member.server === '' || member.secret === undefined)
    return {
      reason: 'CredentialsMissing',
      message: 'its Cluster has no apiEndpoint or no secretRef',
    };
  if (member.proxyHeader)
    return {
      reason: 'ProxyHeaderUnsupported',
      message: 'its Cluster sets spec.proxyHeader, but an estimator cannot send proxy headers',
    };
  return undefined;
}
