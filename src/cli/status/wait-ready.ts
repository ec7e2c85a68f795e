/** Waits until Karmadas are Ready, for `status --wait`. */
import { sleep } from '../../kubernetes/time/clock.ts';
import { ApiError, NetworkError } from '../../kubernetes/client/errors.ts';
import type { Karmada } from '../../api/karmada.ts';
import { CommandError, CommandErrors, type Environment } from '../program/environment.ts';
import { printable } from '../program/text.ts';
import { readinessOf, type Readiness } from './readiness.ts';

/** Exit codes of a wait that ended without Ready; 1 is any other error. */
const STALLED = 2;
const TIMED_OUT = 3;

/** Pause between two reads, in milliseconds. */
const WAIT_MS = 1_000;

export interface WaitRequest {
  /** Reads the Karmadas that are to become Ready. */
  readonly read: () => Promise<readonly Karmada[]>;
  readonly timeoutMs: number;
}

/**
 * Waits, and prints what it waits for to the error output, each line once.
 * @returns undefined if all are Ready; otherwise the error that ends the command after its output
 * @throws CommandError without Karmadas, or after an interruption; errors of the first read
 */
export async function waitReady(
  environment: Pick<Environment, 'errors' | 'clock' | 'interrupted'>,
  { read, timeoutMs }: WaitRequest,
): Promise<CommandError | undefined> {
  const { errors, clock, interrupted } = environment;
  const end = clock.monotonic() + timeoutMs;
  const printed = new Set<string>();
  let found = readinessIn(await read());
  for (;;) {
    const waiting = found.filter(({ state }) => state === 'waiting');
    if (waiting.length === 0) return stalledError(found);
    for (const { text } of waiting.filter((one) => !printed.has(one.text))) {
      errors.write(`${printable(text)}\n`);
      printed.add(text);
    }
    if (clock.monotonic() >= end) return timeoutError(found);
    await sleep(clock, Math.min(WAIT_MS, Math.max(0, end - clock.monotonic())), interrupted);
    if (interrupted.aborted) throw new CommandError('interrupted');
    found = await again(read, found);
  }
}

/** @throws CommandError without Karmadas */
function readinessIn(karmadas: readonly Karmada[]): readonly Readiness[] {
  if (karmadas.length === 0) throw new CommandError('no Karmadas found to wait for');
  return karmadas.map(readinessOf);
}

/** Reads again. The API server may be restarting or overloaded, which does not end the wait. */
async function again(
  read: WaitRequest['read'],
  before: readonly Readiness[],
): Promise<readonly Readiness[]> {
  try {
    return readinessIn(await read());
  } catch (error) {
    if (isTemporary(error)) return before;
    throw error;
  }
}

function isTemporary(error: unknown): boolean {
  if (error instanceof NetworkError) return error.transient || error.code === 'TIMEOUT';
  return error instanceof ApiError && (error.code === 429 || error.code >= 500);
}

function timeoutError(found: readonly Readiness[]): CommandError {
  const lines = found.flatMap(({ state, text }) => {
    if (state === 'ready') return [];
    return [state === 'waiting' ? `timed out: ${text}` : text];
  });
  return new CommandErrors(lines, TIMED_OUT);
}

function stalledError(found: readonly Readiness[]): CommandError | undefined {
  const stalled = found.filter(({ state }) => state === 'stalled');
  if (stalled.length === 0) return undefined;
  return new CommandErrors(
    stalled.map(({ text }) => text),
    STALLED,
  );
}
