import { instanceName } from '../../src/api/naming.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { kubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { getObject } from './cluster.ts';
import { countWithQuorum, isLeader, serializableKeys, type EtcdAccess } from './run-on-node.ts';

/** A control plane and its host cluster. */
export interface InstanceAt {
  readonly cluster: Cluster;
  readonly name: string;
  readonly namespace: string;
}

/** Result of a range request to one etcd member. */
export interface MemberAnswer {
  readonly pod: string;
  /** Etcd cluster ID in hexadecimal. */
  readonly clusterID: string;
  /** Number of keys with the requested prefix. */
  readonly count: number;
}

/** Etcd Pods of the control plane. */
export async function etcdPods(at: InstanceAt): Promise<readonly KubernetesObject[]> {
  const { cluster, name, namespace } = at;
  const selected = `app.kubernetes.io/name=etcd,app.kubernetes.io/instance=${name}`;
  const args = ['get', 'pods', '-n', namespace, '-l', selected, '-o', 'json'];
  return (JSON.parse(await kubectl(cluster, args)) as { items: KubernetesObject[] }).items;
}

const plain = (encoded: string | undefined): string =>
  Buffer.from(encoded ?? '', 'base64').toString('utf8');

/** Calls each etcd member. Members that do not respond are left out. */
async function fromMembers<T>(
  at: InstanceAt,
  call: (access: EtcdAccess, pod: string) => Promise<T>,
): Promise<T[]> {
  const access = await accessOf(at);
  const found = await Promise.all(
    (await etcdPods(at)).map(async (pod): Promise<T[]> => {
      const { podIP: host } = pod['status'] as { podIP?: string };
      if (host === undefined) return [];
      return call({ ...access, host }, pod.metadata.name)
        .then((answer) => [answer])
        .catch(() => []);
    }),
  );
  return found.flat();
}

/** Keys that one member has, also without a quorum. @param prefix prefix of the keys */
export async function survivingKeys(
  at: InstanceAt,
  pod: string,
  prefix: string,
): Promise<readonly string[]> {
  const found = (await etcdPods(at)).find(({ metadata }) => metadata.name === pod);
  const { podIP: host = '' } = (found?.['status'] ?? {}) as { podIP?: string };
  return serializableKeys(at.cluster, { ...(await accessOf(at)), host }, prefix);
}

/** Client certificate of the control plane. */
async function accessOf({
  cluster,
  name,
  namespace,
}: InstanceAt): Promise<Omit<EtcdAccess, 'host'>> {
  const { data } = await getObject<{ data: Record<string, string> }>(
    ...([cluster, 'secret', instanceName(name, 'etcd-cert'), namespace] as const),
  );
  return {
    ca: plain(data['etcd-ca.crt']),
    cert: plain(data['etcd-client.crt']),
    key: plain(data['etcd-client.key']),
    serverName: `${instanceName(name, 'etcd-client')}.${namespace}.svc.cluster.local`,
  };
}

/**
 * Sends a linearizable range request to each etcd member. Members that do not respond are left out.
 * @param prefix prefix of the keys to count
 */
export const etcdAnswers = (at: InstanceAt, prefix: string): Promise<MemberAnswer[]> =>
  fromMembers(at, async (access, pod) => ({
    pod,
    ...(await countWithQuorum(at.cluster, access, prefix)),
  }));

/** Name of the Pod of the leader. @throws Error if no member reports that it is the leader */
export async function leaderOf(at: InstanceAt): Promise<string> {
  const answers = await fromMembers(at, async (access, pod) =>
    (await isLeader(at.cluster, access)) ? pod : undefined,
  );
  const leader = answers.find((pod) => pod !== undefined);
  if (leader === undefined) throw new Error('no etcd member is the leader');
  return leader;
}

const PKI = '/etc/karmada/pki/etcd';

/** Runs etcdctl in the Pod of the first member. */
export function etcdctl(at: InstanceAt, command: readonly string[]): Promise<string> {
  const access = [
    '--endpoints=https://localhost:2379',
    `--cacert=${PKI}/etcd-ca.crt`,
    `--cert=${PKI}/etcd-server.crt`,
    `--key=${PKI}/etcd-server.key`,
  ];
  const inPod = [
    'exec',
    '-n',
    at.namespace,
    `${instanceName(at.name, 'etcd')}-0`,
    '-c',
    'etcd',
    '--',
  ];
  return kubectl(at.cluster, [...inPod, 'etcdctl', ...access, ...command]);
}
