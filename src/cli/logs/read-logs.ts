/** Reads container logs as streams of lines. */
import type { Clock } from '../../kubernetes/clock.ts';
import type { Endpoint } from '../../kubernetes/connection.ts';
import { pathOf, resources } from '../../kubernetes/resources.ts';
import { Sender } from '../../kubernetes/sender.ts';
import { Transport } from '../../kubernetes/transport.ts';

export interface LogRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly follow: boolean;
  /** The container before its last restart. */
  readonly previous: boolean;
  /** Number of lines from the end; all when undefined. */
  readonly tail: number | undefined;
  /** Age of the oldest line; all when undefined. */
  readonly sinceSeconds?: number | undefined;
  readonly limitBytes?: number | undefined;
  readonly signal: AbortSignal;
}

/** Time for the headers of the response, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** Client for the logs of one cluster. */
export class LogReader {
  readonly #transport: Transport;
  readonly #sender: Sender;
  readonly #userAgent: string;

  constructor(endpoint: Endpoint, clock: Clock, userAgent: string) {
    this.#transport = new Transport(endpoint, clock);
    this.#sender = new Sender(this.#transport, clock);
    this.#userAgent = userAgent;
  }

  /** Yields lines without line breaks. @throws ApiError, NetworkError */
  async *lines(request: LogRequest): AsyncGenerator<string> {
    const { namespace, pod, signal } = request;
    const path = pathOf(resources.Pod, { namespace, name: pod }, 'log');
    const stream = await this.#sender.open({
      method: 'GET',
      path: `${path}?${queryOf(request).toString()}`,
      headers: { 'user-agent': this.#userAgent },
      timeoutMs: TIMEOUT_MS,
      stream: true,
      description: `get log of Pod ${namespace}/${pod}`,
      repeatable: true,
      secret: false,
      signal,
    });
    try {
      yield* splitLines(stream.chunks);
    } finally {
      stream.close();
    }
  }

  close(): Promise<void> {
    return this.#transport.close();
  }
}

function queryOf(request: LogRequest): URLSearchParams {
  const { container, follow, previous, tail, sinceSeconds, limitBytes } = request;
  const numbers = { tailLines: tail, sinceSeconds, limitBytes };
  return new URLSearchParams({
    container,
    ...(follow && { follow: 'true' }),
    ...(previous && { previous: 'true' }),
    ...Object.fromEntries(
      Object.entries(numbers).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)]],
      ),
    ),
  });
}

/** Splits a stream of bytes into lines. The last line may have no line break. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const [...lines] = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}
