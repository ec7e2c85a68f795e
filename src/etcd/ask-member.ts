/** Asks one member of a control plane's own etcd how it is and whom it knows. Nothing is written. */
import { withEtcd, type EtcdClient, type EtcdTarget } from './client.ts';
import { CODE, EtcdStatusError, failureOf, type Failure } from './errors.ts';
import type { EtcdMemberList, EtcdStatus } from './messages.ts';
import type { EtcdResult } from './answer.ts';
import type { EtcdPod } from './view.ts';

/** A pod with the connection to its member. */
export interface AskedPod extends EtcdPod {
  readonly target: EtcdTarget;
  /** Time for the whole answer, connection included, in milliseconds. */
  readonly timeoutMs: number;
}

/** Part of the time that the quorum has: the rest is for what a member knows by itself. */
const QUORUM_SHARE = 0.7;

/**
 * Never rejects.
 * @param wall clock in milliseconds
 * @param signal ends the question early
 */
export async function askMember(
  { name, uid, target, timeoutMs }: AskedPod,
  wall: () => number,
  signal?: AbortSignal,
): Promise<EtcdResult> {
  const began = wall();
  const asked = { pod: name, podUid: uid, at: began };
  const limit = AbortSignal.timeout(timeoutMs);
  const ends = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  try {
    const { status, list, confirmed } = await withEtcd(target, ends, (client) =>
      ask(client, AbortSignal.timeout(Math.round(timeoutMs * QUORUM_SHARE))),
    );
    const { clusterId, memberId, leaderId, term, raftIndex } = status;
    const { isLearner, version, errors } = status;
    return {
      ...asked,
      ...{ clusterId, memberId, leaderId, term, raftIndex, isLearner, version, errors },
      ...{ members: list?.members ?? [], confirmed },
    };
  } catch (error) {
    return { ...asked, cause: causeOf(error) };
  }
}

interface Told {
  readonly status: EtcdStatus;
  readonly list?: EtcdMemberList;
  readonly confirmed: boolean;
}

/** Without a quorum the list that a quorum confirms never comes, so the member's own is asked for beside it. */
async function ask(client: EtcdClient, patience: AbortSignal): Promise<Told> {
  const attempt = (linearizable: boolean): Promise<EtcdMemberList | undefined> =>
    client.memberList({ linearizable }).catch(() => undefined);
  const confirmed = Promise.race([attempt(true), aborted(patience)]);
  const [status, own, list] = await Promise.all([client.status(), attempt(false), confirmed]);
  if (list !== undefined) return { status, list, confirmed: true };
  return { status, ...(own && { list: own }), confirmed: false };
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) =>
    signal.addEventListener('abort', () => resolve(undefined), { once: true }),
  );
}

function causeOf(error: unknown): string {
  if (error instanceof EtcdStatusError) return `etcd answers with an error (${error.status})`;
  return spoken(failureOf('answer', error));
}

const DONE: Readonly<Record<Failure['stage'], string>> = {
  resolve: 'its name cannot be looked up',
  connect: 'no connection',
  tls: 'no TLS connection',
  answer: 'no answer',
};

const spoken = ({ stage, code }: Failure): string =>
  `${DONE[stage]} (${code === CODE.timeout ? 'time-out' : code})`;
