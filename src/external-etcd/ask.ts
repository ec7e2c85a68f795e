/** Asks a member of an external etcd how it is, with the client's certificate. Nothing is written. */
import { withEtcd, type EtcdClient, type EtcdTarget } from '../etcd/client.ts';
import { dialTcp, secureContextOf } from '../etcd/dial.ts';
import { EtcdStatusError, failureOf, GRPC, type Failure, type Stage } from '../etcd/errors.ts';
import type { EtcdStatus } from '../etcd/messages.ts';
import type { Credentials } from './credentials.ts';
import type { Endpoint } from './endpoint.ts';

/** Whether a member serves with a quorum behind it. */
export interface Health {
  readonly healthy: boolean;
  /** etcd's own words when it is not. */
  readonly reason: string;
}

/** What a member said, or why it said nothing. */
export interface Observation {
  readonly endpoint: Endpoint;
  readonly health: Health | Failure;
  /** As the member gives it; absent when it keeps it for itself. */
  readonly version?: string;
}

/** How long a member has for its answer, name and handshake included, in milliseconds. */
export const ANSWER_MS = 4_000;

/** Asks one member. Never rejects; for an aborted signal it ends at once. */
export async function askMember(
  endpoint: Endpoint,
  credentials: Credentials,
  signal: AbortSignal,
  timeoutMs = ANSWER_MS,
): Promise<Observation> {
  const timed = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  let stage: Stage = 'tls';
  try {
    const target = targetOf(endpoint, credentials);
    stage = 'answer';
    return { endpoint, ...(await withEtcd(target, timed, ask)) };
  } catch (error) {
    return { endpoint, health: failureOf(stage, error) };
  }
}

function targetOf(endpoint: Endpoint, credentials: Credentials): EtcdTarget {
  const { host, tls } = endpoint;
  const dial = dialTcp(endpoint);
  if (!tls) return { dial };
  const context = secureContextOf({
    ca: credentials['ca.crt'],
    certificate: credentials['tls.crt'],
    key: credentials['tls.key'],
  });
  return { dial, tls: { context, serverName: host } };
}

async function ask(client: EtcdClient): Promise<Pick<Observation, 'health' | 'version'>> {
  const [read, status] = await Promise.allSettled([client.readWithQuorum(), client.status()]);
  const known = status.status === 'fulfilled' ? status.value : undefined;
  const health = healthOf(read.status === 'rejected' ? read.reason : undefined, known);
  return { health, ...(known && { version: known.version }) };
}

/** Status codes with which an etcd that has users refuses to be read; it is sound then, as for its `/health`. */
const NO_RIGHTS: ReadonlySet<number> = new Set([
  GRPC.invalidArgument,
  GRPC.permissionDenied,
  GRPC.unauthenticated,
]);

/** As etcd's `/health` has it: an alarm makes a member unhealthy though it can be read. */
function healthOf(error: unknown, status: EtcdStatus | undefined): Health | Failure {
  if (error instanceof EtcdStatusError && !NO_RIGHTS.has(error.status))
    return error.status === GRPC.unimplemented
      ? { stage: 'answer', code: `GRPC_${String(error.status)}` }
      : { healthy: false, reason: error.message };
  if (error !== undefined && !(error instanceof EtcdStatusError)) return failureOf('answer', error);
  const reason = status?.errors.join('; ') ?? '';
  return { healthy: reason === '', reason };
}
