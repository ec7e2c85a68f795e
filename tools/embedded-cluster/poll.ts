import { setTimeout as delay } from 'node:timers/promises';

/**
 * Calls `check` until it returns a value other than undefined, and returns this value.
 * @param what name of the condition for the error message, which also contains the last text passed to `seen`
 * @throws Error when the deadline has passed
 */
export async function poll<T>(
  what: string,
  check: (seen: (text: string) => void) => Promise<T | undefined>,
  options: { deadlineMs?: number; intervalMs?: number } = {},
): Promise<T> {
  const { deadlineMs = 60_000, intervalMs = 300 } = options;
  let last = 'nothing';
  for (const began = Date.now(); ; await delay(intervalMs)) {
    const result = await check((text) => (last = text));
    if (result !== undefined) return result;
    if (Date.now() - began > deadlineMs) {
      throw new Error(`${what}: not within ${String(deadlineMs / 1000)} s; last seen: ${last}`);
    }
  }
}
