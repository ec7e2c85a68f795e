/** Asks a member of an etcd how it is, with the client's certificate. Nothing is written. */
import { askGrpc } from './ask-grpc.ts';
import { askHttp } from './ask-http.ts';
import type { Answers, Failure, Reply } from './dial.ts';
import type { Credentials } from './credentials.ts';
import type { Endpoint } from './endpoint.ts';

/** What a member said, or why it said nothing. */
export interface Observation extends Answers {
  readonly endpoint: Endpoint;
}

/** How long a member has for its answer, name and handshake included, in milliseconds. */
export const ANSWER_MS = 4_000;

/** Asks one member, in gRPC when it knows no HTTP. Never rejects; for an aborted signal it ends at once. */
export async function askMember(
  endpoint: Endpoint,
  credentials: Credentials,
  signal: AbortSignal,
  timeoutMs = ANSWER_MS,
): Promise<Observation> {
  const timed = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const question = { endpoint, credentials, signal: timed };
  const first = await askHttp(question);
  if (!isCut(first.health)) return { endpoint, ...first };
  const second = await askGrpc(question);
  return { endpoint, ...(saysMore(second) ? second : first) };
}

/** A server that closes a connection at once may be faster with that than with the reason. */
const saysMore = ({ health }: Answers): boolean =>
  !('stage' in health) || health.code === 'TIMEOUT' || health.code.includes('ALERT');

const CUT: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED']);

/** Whether a server ended the connection after it was open, without a word. */
export const isCut = (answer: Reply | Failure): boolean =>
  'stage' in answer && answer.stage === 'answer' && CUT.has(answer.code);
