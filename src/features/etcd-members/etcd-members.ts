/** Queries the members of a local etcd over TLS. */
import { instanceName } from '../../api/naming.ts';
import type { EtcdTarget } from '../../etcd/client.ts';
import { queryMember } from '../../etcd/query-member.ts';
import type { EtcdClientTls } from '../../etcd/dial.ts';
import type { EtcdObserver, ObservedPod } from '../../etcd/observer.ts';
import type { EtcdResult } from '../../etcd/member-status.ts';
import { etcdView, type EtcdPod, type EtcdView } from '../../etcd/view.ts';
import { isTerminating, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { podDialer } from '../../host-clusters/dial-pod.ts';
import type { Host, Remote } from '../../host-clusters/host.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { etcdPods, serves } from '../../etcd-cluster/pods/etcd-pods.ts';

export interface EtcdMemberTools {
  readonly etcdMembers: Pick<EtcdObserver, 'results' | 'observe' | 'again' | 'forget'>;
}

const CLIENT_PORT = 2379;

/** Pods that are queried, which needs a connection to each at once. A host cluster may report any number; a spec has at most 99 members. */
const MAX_QUERIED = 128;

/**
 * Timeout of a query in milliseconds. `forwarded` includes a port-forward through the API server of the host cluster.
 */
const TIMEOUT_MS = { direct: 2_000, forwarded: 4_000 } as const;

type Seen = Pick<Snapshot, 'karmada' | 'spec' | 'host'>;

/** etcd Pods that are not terminating. */
const livingMembers = (pods: readonly Pod[]): readonly KubernetesObject[] =>
  etcdPods(pods).filter((pod) => !isTerminating(pod));

const etcdPodOf = ({ metadata: { name, uid = '' } }: KubernetesObject): EtcdPod => ({ name, uid });

/** Evaluates query results for the etcd Pods of a control plane. @param now wall clock in milliseconds */
export function viewOfPods(
  results: readonly EtcdResult[],
  pods: readonly Pod[],
  now: number,
): EtcdView {
  return etcdView(results, livingMembers(pods).map(etcdPodOf), now);
}

/** Returns the last known state of the members. @returns undefined for an external etcd */
export function observeEtcdMembers(
  { etcdMembers }: EtcdMemberTools,
  key: string,
  { spec, host, now }: Pick<Snapshot, 'spec' | 'host' | 'now'>,
): EtcdView | undefined {
  if (spec.components.etcd.local === undefined) {
    etcdMembers.forget(key);
    return undefined;
  }
  return viewOfPods(etcdMembers.results(key), host.pods, now);
}

/** Starts background queries of the members in the current Pods. */
export function observeMembersInBackground(
  { etcdMembers, host }: EtcdMemberTools & { readonly host: Pick<Host, 'remote'> },
  { key, etcdClient }: InstanceCache,
  snapshot: Seen,
): void {
  if (etcdClient === undefined || snapshot.spec.components.etcd.local === undefined) return;
  const pods = askedPods(snapshot, snapshot.host.pods, { client: etcdClient, remote: host.remote });
  etcdMembers.observe(key, { pods, path: pathOf(host.remote) });
}

/** Queries all members now, as proof before a disruptive action. */
export type AskMembers = (pods: readonly Pod[]) => Promise<readonly EtcdResult[]>;

/**
 * Creates a function that queries all members.
 * @param wall clock in milliseconds
 * @returns undefined while the operator has no client certificate
 */
export function askMembersOf(
  snapshot: Pick<Snapshot, 'karmada' | 'spec'>,
  { etcdClient }: InstanceCache,
  { remote }: Pick<Host, 'remote'>,
  wall: () => number,
): AskMembers | undefined {
  if (etcdClient === undefined) return undefined;
  return (pods) =>
    Promise.all(
      askedPods(snapshot, pods, { client: etcdClient, remote }).map((pod) =>
        queryMember(pod, wall),
      ),
    );
}

/** Queries the member in a Pod that has another name. @returns undefined while the Pod has no address */
export type AskMember = (pod: Pod, member: string) => Promise<EtcdResult | undefined>;

/** Creates a function that queries one member. @returns undefined while the operator has no client certificate */
export function askMemberOf(
  snapshot: Pick<Snapshot, 'karmada' | 'spec'>,
  { etcdClient }: InstanceCache,
  { remote }: Pick<Host, 'remote'>,
  wall: () => number,
): AskMember | undefined {
  if (etcdClient === undefined) return undefined;
  return async (pod, member) => {
    const [asked] = askedPod(pod, member, {
      client: etcdClient,
      remote,
      domain: memberDomain(snapshot),
    });
    return asked && queryMember(asked, wall);
  };
}

/** Connection settings of the members in these Pods, by Pod name; empty while the operator has no certificate. */
export function memberTargets(
  snapshot: Pick<Snapshot, 'karmada' | 'spec'>,
  { etcdClient }: InstanceCache,
  { remote }: Pick<Host, 'remote'>,
): (pods: readonly Pod[]) => ReadonlyMap<string, EtcdTarget> {
  if (etcdClient === undefined) return () => new Map();
  return (pods) =>
    new Map(
      askedPods(snapshot, pods, { client: etcdClient, remote }).map(({ name, target }) => [
        name,
        target,
      ]),
    );
}

const pathOf = (remote: Remote | undefined): keyof typeof TIMEOUT_MS =>
  remote === undefined ? 'direct' : 'forwarded';

interface Means {
  readonly client: EtcdClientTls;
  readonly remote: Remote | undefined;
}

/** DNS domain of the members of a control plane. */
export function memberDomain({ karmada, spec }: Pick<Snapshot, 'karmada' | 'spec'>): string {
  const { name, namespace = '' } = karmada.metadata;
  const { dnsDomain } = spec.hostCluster.networking;
  return `${instanceName(name, 'etcd')}.${namespace}.svc.${dnsDomain}`;
}

const askedPods = (
  snapshot: Pick<Snapshot, 'karmada' | 'spec'>,
  pods: readonly Pod[],
  means: Means,
): readonly ObservedPod[] =>
  livingMembers(pods)
    .slice(0, MAX_QUERIED)
    .flatMap((pod) =>
      askedPod(pod, pod.metadata.name, { ...means, domain: memberDomain(snapshot) }),
    );

/** @param member name of the member, as in its certificate */
function askedPod(
  pod: Pod,
  member: string,
  { client, remote, domain }: Means & { readonly domain: string },
): readonly ObservedPod[] {
  const dialer = podDialer(pod, remote);
  if (dialer === undefined) return [];
  const serverName = `${member}.${domain}`;
  return [
    {
      ...etcdPodOf(pod),
      ready: serves(pod),
      identity: `${pod.status?.podIP ?? ''} ${remote?.server ?? ''}`,
      timeoutMs: TIMEOUT_MS[pathOf(remote)],
      target: { dial: dialer(CLIENT_PORT), tls: { ...client, serverName } },
    },
  ];
}
