/** Attempts of requests to an S3 server or to the token service beside it. */
import { backoffMs, sleep, type Clock, type Random } from '../../kubernetes/time/clock.ts';
import { fieldsOf } from '../../kubernetes/objects/records.ts';
import { StoreError } from './object-store.ts';

const ATTEMPTS = 4;
const PAUSE = { base: 500, max: 10_000 } as const;
/** Codes with which servers ask for a later attempt, in addition to the status codes from 500. */
const LATER = new Set(['SlowDown', 'RequestTimeout', 'TooManyRequests', 'BadDigest']);

/** Error with the knowledge that another attempt may succeed. */
class RetryableError extends StoreError {}

/**
 * Repeats a request while its error may be temporary, with growing pauses.
 * @param attempt gets its number, from 1
 * @throws what the last attempt throws
 */
export async function retried<T>(
  signal: AbortSignal,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  attempt: (number: number) => Promise<T>,
): Promise<T> {
  for (let number = 1; ; number += 1) {
    try {
      return await attempt(number);
    } catch (error) {
      if (!(error instanceof RetryableError) || number === ATTEMPTS || signal.aborted) throw error;
      await sleep(clock, backoffMs(number - 1, PAUSE, random), signal);
    }
  }
}

/**
 * Error for a response with an error.
 * @param about the request, without credentials
 * @param code of the server; undefined if the response has none
 * @param detail end of the message
 */
export function responseFailure(
  about: string,
  status: number,
  code: string | undefined,
  detail = '',
): StoreError {
  const known = code ?? (status === 404 ? 'NotFound' : `HTTP${String(status)}`);
  const isLater = status >= 500 ? status !== 501 : status === 429 || LATER.has(known);
  const Kind = isLater ? RetryableError : StoreError;
  return new Kind(`${about}: the store responded ${String(status)} ${known}${detail}`, known);
}

/** Error for a request without a complete response. @param about the request, without credentials */
export function connectionFailure(about: string, error: unknown, signal: AbortSignal): StoreError {
  const { code, name } = fieldsOf(error);
  const known = typeof code === 'string' ? code : String(name);
  const Kind = signal.aborted ? StoreError : RetryableError;
  return new Kind(`${about}: no response of the store (${known})`, known);
}
