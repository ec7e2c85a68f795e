/** Probes one member of a local etcd: its status and its member list. The probe only reads. */
import { withEtcdReader, type EtcdReader, type EtcdTarget } from './client.ts';
import { CODE, EtcdStatusError, failureOf, type Failure } from './errors.ts';
import type { EtcdMemberList, EtcdStatus } from './messages.ts';
import { alarmsIn, type EtcdResult } from './member-status.ts';
import type { EtcdPod } from './view.ts';

/** A Pod with the connection to its etcd member. */
export interface QueriedPod extends EtcdPod {
  readonly target: EtcdTarget;
  /** Timeout for the whole probe including the connection, in milliseconds. */
  readonly timeoutMs: number;
}

/** Share of the timeout for the linearizable request. The rest is reserved for requests that need no quorum. */
const QUORUM_SHARE = 0.7;

/**
 * Probes one etcd member. Never rejects.
 * @param wall gives the wall clock time in milliseconds
 * @param signal aborts the probe
 * @returns the response, or the cause of the failure
 */
export async function queryMember(
  { name, uid, target, timeoutMs }: QueriedPod,
  wall: () => number,
  signal?: AbortSignal,
): Promise<EtcdResult> {
  const began = wall();
  const asked = { pod: name, podUid: uid, at: began };
  const limit = AbortSignal.timeout(timeoutMs);
  const ends = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  try {
    const { status, list, confirmed } = await withEtcdReader(target, ends, (client) =>
      ask(client, AbortSignal.timeout(Math.round(timeoutMs * QUORUM_SHARE))),
    );
    return {
      ...asked,
      ...status,
      alarms: alarmsIn(status.errors),
      members: list?.members ?? [],
      confirmed,
    };
  } catch (error) {
    return { ...asked, cause: causeOf(error) };
  }
}

interface Responses {
  readonly status: EtcdStatus;
  readonly list?: EtcdMemberList;
  readonly confirmed: boolean;
}

/** Requests the status and both member lists in parallel. Without a quorum a linearizable request never completes. */
async function ask(client: EtcdReader, timeout: AbortSignal): Promise<Responses> {
  const attempt = (linearizable: boolean): Promise<EtcdMemberList | undefined> =>
    client.memberList({ linearizable }).catch(() => undefined);
  const confirmed = Promise.race([attempt(true), aborted(timeout)]);
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
  if (error instanceof EtcdStatusError)
    return `etcd returned an error (gRPC status ${error.status})`;
  return spoken(failureOf('answer', error));
}

const DONE: Readonly<Record<Failure['stage'], string>> = {
  resolve: 'DNS lookup failed',
  connect: 'connection failed',
  tls: 'TLS handshake failed',
  answer: 'no response',
};

const spoken = ({ stage, code }: Failure): string =>
  `${DONE[stage]} (${code === CODE.timeout ? 'timeout' : code})`;
