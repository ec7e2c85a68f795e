/**
 * Client of the etcd API for local and external etcd. It only reads.
 * Each `withEtcd` call opens its own connection: probes are rare, and an open connection costs memory.
 */
import type { ClientHttp2Session } from 'node:http2';
import type { Duplex } from 'node:stream';
import { endWith, openTls, type Dial, type TlsTarget } from './dial.ts';
import { EtcdConnectionError, failureOf } from './errors.ts';
import { callUnary, openSession } from './grpc.ts';
import {
  memberListRequest,
  rangeRequest,
  readAlarms,
  readMemberList,
  readStatus,
  type EtcdAlarm,
  type EtcdMemberList,
  type EtcdStatus,
} from './messages.ts';

/** Connection settings of one etcd member. */
export interface EtcdTarget {
  readonly dial: Dial;
  /** Absent for an etcd without TLS. */
  readonly tls?: TlsTarget;
}

/** Calls throw EtcdStatusError when etcd returns an error, and EtcdConnectionError for all other failures. */
export interface EtcdClient {
  /** Status of this member; needs no quorum. */
  status(): Promise<EtcdStatus>;
  /**
   * Members of the cluster.
   * @param linearizable true requests a list that a quorum confirms (etcd 3.5 and later); false returns the local list
   *   of this member, which may be stale
   */
  memberList(options: { readonly linearizable: boolean }): Promise<EtcdMemberList>;
  /** Alarms of the whole cluster that this member knows. */
  alarms(): Promise<readonly EtcdAlarm[]>;
  /** Linearizable read of a key that need not exist, as in the `/health` endpoint of etcd. */
  readWithQuorum(): Promise<void>;
}

const METHOD = {
  status: '/etcdserverpb.Maintenance/Status',
  alarm: '/etcdserverpb.Maintenance/Alarm',
  memberList: '/etcdserverpb.Cluster/MemberList',
  range: '/etcdserverpb.KV/Range',
} as const;

const EMPTY = new Uint8Array();

/** Key that the `/health` endpoint of etcd reads. */
const HEALTH_KEY = 'health';

/**
 * Connects to one etcd member and closes the connection when `use` settles.
 * @param signal aborts the connection and all calls on it with an EtcdConnectionError
 * @throws EtcdConnectionError when the connection fails; errors of `use`
 */
export async function withEtcd<T>(
  { dial, tls }: EtcdTarget,
  signal: AbortSignal,
  use: (client: EtcdClient) => Promise<T>,
): Promise<T> {
  const stream = await opened(dial, signal);
  const secure = tls === undefined ? stream : await openTls(stream, tls, signal);
  const session = openSession(secure);
  const end = endWith(signal, secure);
  try {
    return await use(clientOf(session));
  } finally {
    end();
    session.destroy();
    secure.destroy();
  }
}

async function opened(dial: Dial, signal: AbortSignal): Promise<Duplex> {
  try {
    return await dial(signal);
  } catch (error) {
    throw new EtcdConnectionError(failureOf('connect', error));
  }
}

function clientOf(session: ClientHttp2Session): EtcdClient {
  const call = (path: string, message: Uint8Array = EMPTY): Promise<Buffer> =>
    callUnary(session, { path, message });
  return {
    status: async () => readStatus(await call(METHOD.status)),
    memberList: async ({ linearizable }) =>
      readMemberList(await call(METHOD.memberList, memberListRequest(linearizable))),
    alarms: async () => readAlarms(await call(METHOD.alarm)),
    readWithQuorum: async () => void (await call(METHOD.range, rangeRequest(HEALTH_KEY))),
  };
}
