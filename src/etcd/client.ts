/**
 * The one client of etcd's API, for the members of a control plane's own etcd and for external ones. It only reads.
 * A connection lasts for one `withEtcd`: members are asked seldom, and an open connection costs memory.
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

/** One member. */
export interface EtcdTarget {
  readonly dial: Dial;
  /** Absent for an etcd that speaks no TLS. */
  readonly tls?: TlsTarget;
}

/** Every call throws EtcdStatusError for an error that etcd answers with, else EtcdConnectionError. */
export interface EtcdClient {
  /** How the member is, by itself; needs no quorum. */
  status(): Promise<EtcdStatus>;
  /**
   * Who belongs to the cluster.
   * @param linearizable whether the member has to ask a quorum first (etcd 3.5 and later); otherwise it answers by itself
   *   and may be behind
   */
  memberList(options: { readonly linearizable: boolean }): Promise<EtcdMemberList>;
  /** Alarms of the whole cluster, as far as the member knows. */
  alarms(): Promise<readonly EtcdAlarm[]>;
  /** Reads a key that need not exist, with a quorum, as etcd's own `/health` does. */
  readWithQuorum(): Promise<void>;
}

const METHOD = {
  status: '/etcdserverpb.Maintenance/Status',
  alarm: '/etcdserverpb.Maintenance/Alarm',
  memberList: '/etcdserverpb.Cluster/MemberList',
  range: '/etcdserverpb.KV/Range',
} as const;

const EMPTY = new Uint8Array();

/** The key that etcd's `/health` reads. */
const HEALTH_KEY = 'health';

/**
 * Connects to one member, and closes the connection when `use` has ended.
 * @param signal ends whatever is under way, with an EtcdConnectionError
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
