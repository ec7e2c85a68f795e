/** Member clusters of a control plane, and which of them get an estimator: pure. */
import type { Problem } from '../api/problem.ts';
import { estimatorName, maxClusterNameLength } from '../api/naming.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { clusterType, type ObjectKey, type ResourceType } from '../kubernetes/resources.ts';

/** Type of the objects inside a control plane that stand for its members. */
export const clusters: ResourceType = clusterType(
  'cluster.karmada.io/v1alpha1',
  'Cluster',
  'clusters',
);

/** A member in push mode: the control plane goes to it, and so can an estimator. */
export interface Member {
  readonly name: string;
  readonly uid: string;
  /** URL of its API server. */
  readonly server: string;
  readonly insecure: boolean;
  readonly proxyUrl?: string;
  /** Whether its proxy wants headers, which no kubeconfig can name. */
  readonly proxyHeader: boolean;
  /** Secret inside the control plane with keys `token` and `caBundle`. */
  readonly secret?: Required<ObjectKey>;
}

/** What `spec` of a Cluster has, as far as it matters here. */
interface ClusterSpec {
  readonly syncMode?: string;
  readonly apiEndpoint?: string;
  readonly insecureSkipTLSVerification?: boolean;
  readonly proxyURL?: string;
  readonly proxyHeader?: Readonly<Record<string, string>>;
  readonly secretRef?: { readonly namespace?: string; readonly name?: string };
}

/** A Cluster without what changes every few seconds: its status, and parts of no interest. */
export function reduceCluster(cluster: KubernetesObject): KubernetesObject {
  const { syncMode, apiEndpoint, insecureSkipTLSVerification, proxyURL, proxyHeader, secretRef } =
    (cluster['spec'] ?? {}) as ClusterSpec;
  return {
    apiVersion: cluster.apiVersion,
    kind: cluster.kind,
    metadata: cluster.metadata,
    spec: { syncMode, apiEndpoint, insecureSkipTLSVerification, proxyURL, proxyHeader, secretRef },
  };
}

/** Whether two reduced Clusters say the same. */
export function sameCluster(one: KubernetesObject, other: KubernetesObject): boolean {
  const essence = ({ metadata, ...object }: KubernetesObject): string =>
    JSON.stringify([metadata.uid, metadata.deletionTimestamp, object['spec']]);
  return essence(one) === essence(other);
}

/** The member that a Cluster stands for; undefined for one in pull mode and for one that leaves. */
export function memberOf({ metadata, ...object }: KubernetesObject): Member | undefined {
  const spec = (object['spec'] ?? {}) as ClusterSpec;
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

function secretOf({ secretRef }: ClusterSpec): Pick<Member, 'secret'> {
  const { namespace, name } = secretRef ?? {};
  return namespace && name ? { secret: { namespace, name } } : {};
}

export interface Selection {
  /** Members that get an estimator, by name. */
  readonly chosen: readonly Member[];
  /** Members that are wanted and cannot have one. */
  readonly refused: ReadonlyMap<string, Problem>;
}

/**
 * Chooses members.
 * @param objects all Clusters of the control plane
 * @param wanted names of `spec`; none: all in push mode
 */
export function selectMembers(
  karmadaName: string,
  objects: readonly KubernetesObject[],
  wanted: readonly string[] = [],
): Selection {
  const members = objects.flatMap((object) => memberOf(object) ?? []);
  const known = new Map(members.map((member) => [member.name, member]));
  const names = wanted.length > 0 ? [...new Set(wanted)] : [...known.keys()];
  const chosen: Member[] = [];
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
  message: 'the control plane has no such member in push mode',
};

/** What keeps a member from having an estimator, whatever the member itself says. */
function obstacle(karmadaName: string, member: Member): Problem | undefined {
  const limit = maxClusterNameLength(karmadaName);
  if (member.name.length > limit)
    return {
      reason: 'NameTooLong',
      message: `its estimator would be called ${estimatorName(karmadaName, member.name)}, and the name of a Service has at most 63 characters: join it under a name of at most ${limit}`,
    };
  if (member.server === '' || member.secret === undefined)
    return {
      reason: 'CredentialsMissing',
      message: 'its Cluster has no apiEndpoint or no secretRef',
    };
  if (member.proxyHeader)
    return {
      reason: 'ProxyHeaderUnsupported',
      message:
        'its proxy wants headers (spec.proxyHeader of its Cluster), which an estimator cannot send',
    };
  return undefined;
}
