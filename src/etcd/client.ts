/**
 * Client of the etcd API for local and external etcd. `withEtcdReader` gives a client that only reads; `withEtcd` gives
 * one that also changes the members of a local etcd and maintains them.
 * Each of these calls opens its own connection: probes are rare, and an open connection costs memory.
 */
import type { ClientHttp2Session } from 'node:http2';
import type { Duplex } from 'node:stream';
import { endWith, openTls, type Dial, type TlsTarget } from './dial.ts';
import { EtcdConnectionError, failureOf } from './errors.ts';
import { callStream } from './grpc-stream.ts';
import { callUnary, openSession } from './grpc.ts';
import {
  readAddedMember,
  readAlarms,
  readHashKV,
  readMemberList,
  readRange,
  readStatus,
  type EtcdAddedMember,
  type EtcdAlarm,
  type EtcdHash,
  type EtcdMemberList,
  type EtcdRange,
  type EtcdStatus,
} from './messages.ts';
import {
  addLearnerRequest,
  compactRequest,
  countPrefixRequest,
  countRequest,
  disarmRequest,
  hashKVRequest,
  memberListRequest,
  memberRequest,
  updateMemberRequest,
  rangeRequest,
  type KnownAlarm,
} from './requests.ts';
import { snapshotContent } from './snapshot-stream.ts';

/** Connection settings of one etcd member. */
export interface EtcdTarget {
  readonly dial: Dial;
  /** Absent for an etcd without TLS. */
  readonly tls?: TlsTarget;
}

/**
 * Calls that change nothing. A learner responds only to `status`.
 * Calls throw EtcdStatusError when etcd returns an error, and EtcdConnectionError for all other failures.
 */
export interface EtcdReader {
  /** Status of this member; needs no quorum. */
  status(): Promise<EtcdStatus>;
  /**
   * Members of the cluster.
   * @param linearizable true requests a list that a quorum confirms (etcd 3.5 and later); false returns the local list
   *   of this member, which may be stale
   */
  memberList(options: { readonly linearizable: boolean }): Promise<EtcdMemberList>;
  /**
   * Alarms of the whole cluster. etcd sends this request through Raft: it needs a quorum and adds an entry to the log,
   * so use the errors of the status for periodic checks.
   */
  alarms(): Promise<readonly EtcdAlarm[]>;
  /** Linearizable read of a key that need not exist, as in the `/health` endpoint of etcd. */
  readWithQuorum(): Promise<void>;
  /**
   * Hash of the key-value store of this member; needs no quorum, but reads the whole store.
   * @param revision in decimal, of the last key to include; `0` is the current revision of the member
   */
  hashKV(revision: string): Promise<EtcdHash>;
  /** Value of a key, as a linearizable read. */
  read(key: string): Promise<EtcdRange>;
  /** Number of keys with a prefix, as a linearizable read. @param prefix not empty */
  countPrefix(prefix: string): Promise<EtcdRange>;
  /** Number of keys of this member at a revision, both in decimal; needs no quorum. */
  countKeys(revision: string): Promise<string>;
  /**
   * Content of a snapshot file of this member; needs no quorum. It ends without an error only if it is complete.
   */
  snapshot(): AsyncGenerator<Buffer>;
}

/**
 * Calls that change the members of the cluster or maintain a member. IDs are hexadecimal. etcd may execute a change
 * although the call fails: `nextStepOf` in `error-kinds.ts` tells for which errors. Without a quorum, changes of members
 * and `moveLeader` wait until the signal of `withEtcd` is aborted, because etcd has no timeout for them.
 */
export interface EtcdClient extends EtcdReader {
  /** Adds a member without a vote. @param peerURL such as `https://etcd-1.etcd.team.svc:2380` */
  addLearner(peerURL: string): Promise<EtcdAddedMember>;
  /** Makes a learner a voter. etcd rejects this until the learner has 90 % of the log of the leader. */
  promote(memberId: string): Promise<EtcdMemberList>;
  removeMember(memberId: string): Promise<EtcdMemberList>;
  /** Sets the peer URLs of a voter. etcd 3.6.6 to 3.6.11 lists an updated learner as a voter. */
  updateMember(memberId: string, peerURLs: readonly string[]): Promise<EtcdMemberList>;
  /** Transfers the leadership to a voter. Only the leader accepts this call. It waits until the voter leads. */
  moveLeader(memberId: string): Promise<void>;
  /** Releases free space of the database file. The member responds to nothing else meanwhile. */
  defragment(): Promise<void>;
  /**
   * Removes the history before a revision, and waits until the member has done so.
   * @param revision in decimal
   */
  compact(revision: string): Promise<void>;
  /** Disarms one alarm of one member. etcd raises it again if its cause remains. */
  disarmAlarm(alarm: KnownAlarm): Promise<void>;
}

const METHOD = {
  status: '/etcdserverpb.Maintenance/Status',
  alarm: '/etcdserverpb.Maintenance/Alarm',
  hashKV: '/etcdserverpb.Maintenance/HashKV',
  snapshot: '/etcdserverpb.Maintenance/Snapshot',
  moveLeader: '/etcdserverpb.Maintenance/MoveLeader',
  defragment: '/etcdserverpb.Maintenance/Defragment',
  memberList: '/etcdserverpb.Cluster/MemberList',
  memberAdd: '/etcdserverpb.Cluster/MemberAdd',
  memberPromote: '/etcdserverpb.Cluster/MemberPromote',
  memberRemove: '/etcdserverpb.Cluster/MemberRemove',
  memberUpdate: '/etcdserverpb.Cluster/MemberUpdate',
  range: '/etcdserverpb.KV/Range',
  compact: '/etcdserverpb.KV/Compact',
} as const;

const EMPTY = new Uint8Array();

/** Key that the `/health` endpoint of etcd reads. */
const HEALTH_KEY = 'health';

/**
 * Connects to one etcd member and closes the connection when `use` settles.
 * @param signal aborts the connection and all calls on it with an EtcdConnectionError
 * @throws EtcdConnectionError when the connection fails; errors of `use`
 */
export function withEtcd<T>(
  target: EtcdTarget,
  signal: AbortSignal,
  use: (client: EtcdClient) => Promise<T>,
): Promise<T> {
  return withSession(target, signal, (session) => use(clientOf(session)));
}

/** As `withEtcd`, with a client that only reads. */
export function withEtcdReader<T>(
  target: EtcdTarget,
  signal: AbortSignal,
  use: (client: EtcdReader) => Promise<T>,
): Promise<T> {
  return withSession(target, signal, (session) => use(readerOf(session)));
}

async function withSession<T>(
  { dial, tls }: EtcdTarget,
  signal: AbortSignal,
  use: (session: ClientHttp2Session) => Promise<T>,
): Promise<T> {
  const stream = await opened(dial, signal);
  const secure = tls === undefined ? stream : await openTls(stream, tls, signal);
  const session = openSession(secure);
  const end = endWith(signal, secure);
  try {
    return await use(session);
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

type Caller = (path: string, message?: Uint8Array) => Promise<Buffer>;

const callerOf =
  (session: ClientHttp2Session): Caller =>
  (path, message = EMPTY) =>
    callUnary(session, { path, message });

function readerOf(session: ClientHttp2Session): EtcdReader {
  const call = callerOf(session);
  return {
    status: async () => readStatus(await call(METHOD.status)),
    memberList: async ({ linearizable }) =>
      readMemberList(await call(METHOD.memberList, memberListRequest(linearizable))),
    alarms: async () => readAlarms(await call(METHOD.alarm)),
    readWithQuorum: async () => void (await call(METHOD.range, rangeRequest(HEALTH_KEY))),
    hashKV: async (revision) => readHashKV(await call(METHOD.hashKV, hashKVRequest(revision))),
    read: async (key) => readRange(await call(METHOD.range, rangeRequest(key))),
    countPrefix: async (prefix) => readRange(await call(METHOD.range, countPrefixRequest(prefix))),
    countKeys: async (revision) =>
      readRange(await call(METHOD.range, countRequest(revision))).count,
    snapshot: () => snapshotContent(callStream(session, { path: METHOD.snapshot, message: EMPTY })),
  };
}

function clientOf(session: ClientHttp2Session): EtcdClient {
  const call = callerOf(session);
  return {
    ...readerOf(session),
    addLearner: async (peerURL) =>
      readAddedMember(await call(METHOD.memberAdd, addLearnerRequest(peerURL))),
    promote: async (id) => readMemberList(await call(METHOD.memberPromote, memberRequest(id))),
    removeMember: async (id) => readMemberList(await call(METHOD.memberRemove, memberRequest(id))),
    updateMember: async (id, peerURLs) =>
      readMemberList(await call(METHOD.memberUpdate, updateMemberRequest(id, peerURLs))),
    moveLeader: async (id) => void (await call(METHOD.moveLeader, memberRequest(id))),
    defragment: async () => void (await call(METHOD.defragment)),
    compact: async (revision) => void (await call(METHOD.compact, compactRequest(revision))),
    disarmAlarm: async (alarm) => void (await call(METHOD.alarm, disarmRequest(alarm))),
  };
}
