import { X509Certificate } from 'node:crypto';
import type { Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { inNode } from '../../tools/embedded-cluster/node.ts';

/** Runs a script on the node, which can reach Pods and Services. The script reads `input` and prints JSON. */
async function fromNode<T>(cluster: Cluster, script: string, input: object): Promise<T> {
  const source = `const input = JSON.parse(require('fs').readFileSync(0)); ${script}`;
  const command = inNode(cluster.node, [process.execPath, '-e', source]);
  return JSON.parse(await run(command, { input: JSON.stringify(input), timeout: 30_000 })) as T;
}

/**
 * Serving certificate at an address, without verification.
 * @param serverName TLS server name (SNI), if the server selects the certificate by name
 */
export async function servedCertificate(
  cluster: Cluster,
  address: { host: string; port: number; serverName?: string },
): Promise<X509Certificate> {
  const script = `
    const { host, port, serverName: servername } = input;
    const socket = require('tls').connect({ host, port, servername, rejectUnauthorized: false });
    socket.once('secureConnect', () => {
      console.log(JSON.stringify(socket.getPeerCertificate().raw.toString('base64')));
      process.exit();
    });`;
  const der = await fromNode<string>(cluster, script, address);
  return new X509Certificate(Buffer.from(der, 'base64'));
}

/** Client certificate, client key and server CA, all PEM. */
export interface EtcdAccess {
  host: string;
  ca: string;
  cert: string;
  key: string;
  serverName: string;
}

/** Number of etcd keys with this prefix, queried through the JSON gateway. */
export async function countKeys(
  cluster: Cluster,
  access: EtcdAccess,
  prefix: string,
): Promise<number> {
  return (await countWithQuorum(cluster, access, prefix)).count;
}

/** Like `countKeys`, with the ID of the etcd cluster. */
export async function countWithQuorum(
  cluster: Cluster,
  access: EtcdAccess,
  prefix: string,
): Promise<{ readonly clusterID: string; readonly count: number }> {
  const answer = await range(cluster, access, prefix, { count_only: true });
  return { clusterID: BigInt(answer.header.cluster_id).toString(16), count: Number(answer.count) };
}

/** Keys with this prefix as one member has them, also without a quorum. */
export async function serializableKeys(
  cluster: Cluster,
  access: EtcdAccess,
  prefix: string,
): Promise<readonly string[]> {
  const { kvs = [] } = await range(cluster, access, prefix, {
    keys_only: true,
    serializable: true,
  });
  return kvs.map(({ key }) => Buffer.from(key, 'base64').toString());
}

interface RangeResponse {
  readonly header: { readonly cluster_id: string };
  readonly count?: string;
  readonly kvs?: readonly { readonly key: string }[];
}

async function range(
  cluster: Cluster,
  access: EtcdAccess,
  prefix: string,
  options: object,
): Promise<RangeResponse> {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  // The range end of a prefix is the prefix with its last byte incremented.
  const last = prefix.charCodeAt(prefix.length - 1) + 1;
  const end = prefix.slice(0, -1) + String.fromCharCode(last);
  const body = { key: base64(prefix), range_end: base64(end), ...options };
  const call = { path: '/v3/kv/range', body };
  const answer = await callEtcd<Partial<RangeResponse>>(cluster, access, call);
  const { header, count = '0', kvs = [] } = answer;
  // A learner, or a member without quorum, responds with an error.
  if (header?.cluster_id === undefined) throw new Error(JSON.stringify(answer));
  return { header, count, kvs };
}

/** Whether an etcd member is the leader of its cluster. */
export async function isLeader(cluster: Cluster, access: EtcdAccess): Promise<boolean> {
  const answer = await callEtcd<{ header?: { member_id?: string }; leader?: string }>(
    cluster,
    access,
    { path: '/v3/maintenance/status', body: {} },
  );
  return answer.leader !== undefined && answer.leader === answer.header?.member_id;
}

/** Sends a request to the JSON gateway of an etcd member. */
function callEtcd<T>(
  cluster: Cluster,
  access: EtcdAccess,
  call: { readonly path: string; readonly body: object },
): Promise<T> {
  const script = `
    const { ca, cert, key, serverName: servername, host, path, body } = input;
    const options = { host, port: 2379, path, method: 'POST', ca, cert, key, servername };
    setTimeout(() => process.exit(1), 10_000).unref();
    require('https').request(options, (answer) => answer.pipe(process.stdout)).end(JSON.stringify(body));`;
  return fromNode<T>(cluster, script, { ...access, ...call });
}
