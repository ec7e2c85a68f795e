import { Session } from 'node:inspector/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** Returns a function that collects garbage, and returns the memory that is in use, in bytes. */
export function collector(): () => Promise<number> {
  const session = new Session();
  session.connect();
  return async () => {
    await pause(20);
    await session.post('HeapProfiler.collectGarbage');
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
}
