/** Probes the health of one external etcd member with the client certificate. Writes nothing. */
import { withEtcdReader, type EtcdReader, type EtcdTarget } from '../etcd/client.ts';
import { dialTcp, secureContextOf } from '../etcd/dial.ts';
import { EtcdStatusError, failureOf, GRPC, type Failure, type Stage } from '../etcd/errors.ts';
import type { EtcdStatus } from '../etcd/messages.ts';
import type { Credentials } from './credentials.ts';
import type { Endpoint } from './endpoint.ts';

/** Health of an etcd member. A healthy member serves reads with a quorum. */
export interface Health {
  readonly healthy: boolean;
  /** Reason in the words of etcd. Empty if healthy. */
  readonly reason: string;
}

/** Response of an etcd member, or why it did not respond. */
export interface Observation {
  readonly endpoint: Endpoint;
  readonly health: Health | Failure;
  /** Version that the member reports. Absent if it does not report one. */
  readonly version?: string;
}

/** Timeout of a probe in milliseconds, including DNS lookup and TLS handshake. */
export const ANSWER_MS = 4_000;

/**
 * Probes one etcd member. Never rejects. Returns immediately when the signal is aborted.
 * @param timeoutMs milliseconds
 */
export async function probeEndpoint(
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
    return { endpoint, ...(await withEtcdReader(target, timed, ask)) };
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

async function ask(client: EtcdReader): Promise<Pick<Observation, 'health' | 'version'>> {
  const [read, status] = await Promise.allSettled([client.readWithQuorum(), client.status()]);
  const known = status.status === 'fulfilled' ? status.value : undefined;
  const health = healthOf(read.status === 'rejected' ? read.reason : undefined, known);
  return { health, ...(known && { version: known.version }) };
}

/** Status codes of an etcd with RBAC that rejects the read. It is healthy then, as for its `/health` endpoint. */
const NO_RIGHTS: ReadonlySet<number> = new Set([
  GRPC.invalidArgument,
  GRPC.permissionDenied,
  GRPC.unauthenticated,
]);

/** Derives the health like the `/health` endpoint of etcd: an alarm makes a readable member unhealthy. */
function healthOf(error: unknown, status: EtcdStatus | undefined): Health | Failure {
  if (error instanceof EtcdStatusError && !NO_RIGHTS.has(error.status))
    return error.status === GRPC.unimplemented
      ? { stage: 'answer', code: `GRPC_${String(error.status)}` }
      : { healthy: false, reason: error.message };
  if (error !== undefined && !(error instanceof EtcdStatusError)) return failureOf('answer', error);
  const reason = status?.errors.join('; ') ?? '';
  return { healthy: reason === '', reason };
}
