/** Reads container logs as streams of lines. */
import type { Clock } from '../../kubernetes/time/clock.ts';
import type { Endpoint } from '../../kubernetes/connection/connection.ts';
import { pathOf, resources } from '../../kubernetes/objects/resources.ts';
import { Sender } from '../../kubernetes/client/sender.ts';
import { Transport } from '../../kubernetes/client/transport.ts';
import { sizeText } from '../../untrusted/limits.ts';

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

/** Maximum length of a line in characters. A server could send one that never ends. */
const MAX_LINE_LENGTH = 16 * 1_048_576;

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

  /** Yields lines without line breaks. @throws ApiError, NetworkError, Error for a line above the limit */
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
      yield* splitLines(firstBytes(stream.chunks, request.limitBytes));
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

/** Ends a stream after a number of bytes, also if the server ignores `limitBytes`. */
export async function* firstBytes(
  chunks: AsyncIterable<Uint8Array>,
  most = Infinity,
): AsyncGenerator<Uint8Array> {
  let left = most;
  for await (const chunk of chunks) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}

/**
 * Splits a stream of bytes into lines. The last line may have no line break.
 * @throws Error for a line above the limit
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  longest = MAX_LINE_LENGTH,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let line = new LongLine(longest);
  for await (const chunk of chunks) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
    line.add(first);
    for (const next of others) {
      yield line.text;
      line = new LongLine(longest);
      line.add(next);
    }
  }
  line.add(decoder.decode());
  if (line.text !== '') yield line.text;
}

/** Collects the parts of a line, so that its time grows in proportion to its length. */
class LongLine {
  readonly #longest: number;
  readonly #parts: string[] = [];
  #length = 0;

  constructor(longest: number) {
    this.#longest = longest;
  }

  get text(): string {
    return this.#parts.join('');
  }

  /** @throws Error above the limit */
  add(part: string): void {
    this.#length += part.length;
    if (this.#length > this.#longest)
      throw new Error(`the log has a line with more than ${sizeText(this.#longest)}`);
    if (part !== '') this.#parts.push(part);
  }
}
