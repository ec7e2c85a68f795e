/** Probes the health of one external etcd member with the client certificate. Writes nothing. */
import type { SecureContext } from 'node:tls';
import { withEtcdReader, type EtcdReader, type EtcdTarget } from '../etcd/client.ts';
import { dialTcp, secureContextOf } from '../etcd/dial.ts';
import {
  EtcdStatusError,
  failureOf,
  GRPC,
  isDenied,
  type Failure,
  type Stage,
} from '../etcd/errors.ts';
import type { EtcdStatus } from '../etcd/messages.ts';
import { systemClock } from '../kubernetes/time/clock.ts';
import type { Credentials } from './credentials.ts';
import type { Endpoint } from './endpoint.ts';
import { ProbeDeadline, type ProbeLimits } from './probe-deadline.ts';
import { readStoredData, type StoredData } from './stored-data.ts';

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
  /** What the etcd has below the prefixes of the control plane. Absent if it could not be read. */
  readonly data?: StoredData;
}

/** Time limit of a probe in milliseconds, including DNS lookup and TLS handshake, but without the time that it waits for turns. */
export const ANSWER_MS = 4_000;
/** Time limit of the turns of a probe together, in milliseconds. A check that waits occupies one of the places of its namespace. */
export const TURNS_MS = 60_000;

/** Error code of a probe whose turns exceed their limit. */
export const NO_TURN = 'NO_TURN';

const LIMITS: ProbeLimits = { clock: systemClock, answerMs: ANSWER_MS, turnsMs: TURNS_MS };

/** Returns the TLS context of one check. Rejects if OpenSSL rejects the certificate or key. */
export type ClientContext = () => Promise<SecureContext>;

/**
 * Creates the TLS context with the first call, and only once for all etcd members: with 500 CA certificates it takes 40 ms in the thread
 * that does everything else.
 */
export function clientContext(credentials: Credentials): ClientContext {
  let context: Promise<SecureContext> | undefined;
  return () => (context ??= createContext(credentials));
}

const createContext = async (credentials: Credentials): Promise<SecureContext> =>
  Promise.resolve(
    secureContextOf({
      ca: credentials['ca.crt'],
      certificate: credentials['tls.crt'],
      key: credentials['tls.key'],
    }),
  );

/**
 * Probes one etcd member. Never rejects. Returns immediately when the signal is aborted.
 * @param limits replace the default ones
 */
export async function probeEndpoint(
  endpoint: Endpoint,
  context: ClientContext,
  signal: AbortSignal,
  limits: Partial<ProbeLimits> = {},
): Promise<Observation> {
  const deadline = new ProbeDeadline({ ...LIMITS, ...limits }, signal);
  let stage: Stage = 'tls';
  try {
    const target = await targetOf(endpoint, context, deadline);
    stage = 'answer';
    const { prefixes = [] } = endpoint;
    const answer = await withEtcdReader(target, deadline.signal, (client) => ask(client, prefixes));
    return { endpoint, ...answer, health: withCause(answer.health, deadline) };
  } catch (error) {
    return { endpoint, health: withCause(failureOf(stage, error), deadline) };
  } finally {
    deadline.end();
  }
}

/** A probe without a turn fails like one without a response. The server is not the cause. */
const withCause = (health: Health | Failure, { exceeded }: ProbeDeadline): Health | Failure =>
  'stage' in health && exceeded === 'turns' ? { ...health, code: NO_TURN } : health;

async function targetOf(
  endpoint: Endpoint,
  context: ClientContext,
  deadline: ProbeDeadline,
): Promise<EtcdTarget> {
  const { host, tls, inTurn } = endpoint;
  const dial = dialTcp(endpoint);
  if (!tls) return { dial };
  const turns = inTurn && { inTurn: deadline.turns(inTurn) };
  return { dial, tls: { context: await context(), serverName: host, ...turns } };
}

async function ask(
  client: EtcdReader,
  prefixes: readonly string[],
): Promise<Pick<Observation, 'health' | 'version' | 'data'>> {
  const [read, status, stored] = await Promise.allSettled([
    client.readWithQuorum(),
    client.status(),
    readStoredData(client, prefixes),
  ]);
  const known = status.status === 'fulfilled' ? status.value : undefined;
  const health = healthOf(read.status === 'rejected' ? read.reason : undefined, known);
  return {
    health,
    ...(known && { version: known.version }),
    ...(stored.status === 'fulfilled' && { data: stored.value }),
  };
}

/**
 * Derives the health like the `/health` endpoint of etcd: an alarm makes a readable member unhealthy, and one with RBAC that rejects the
 * read is healthy.
 */
function healthOf(error: unknown, status: EtcdStatus | undefined): Health | Failure {
  if (error instanceof EtcdStatusError && !isDenied(error))
    return error.status === GRPC.unimplemented
      ? { stage: 'answer', code: `GRPC_${String(error.status)}` }
      : { healthy: false, reason: error.message };
  if (error !== undefined && !(error instanceof EtcdStatusError)) return failureOf('answer', error);
  const reason = status?.errors.join('; ') ?? '';
  return { healthy: reason === '', reason };
}
